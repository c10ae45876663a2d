# The user's own start-up file, then the marks around prompts and commands.
if [ -r ~/.bashrc ]; then . ~/.bashrc; fi
command rm -rf -- @FOLDER@
set +H
bind 'set enable-bracketed-paste on' 2>/dev/null
__meterbridge_prompt() {
	local status=$?
	printf '\033]133;D;%s;aid=@NONCE@\007\033]133;A;aid=@NONCE@\007' "$status"
	return "$status"
}
__meterbridge_marks() {
	local command
	for command in "${PROMPT_COMMAND[@]}"; do
		[ "$command" = __meterbridge_prompt ] && return 0
	done
	PROMPT_COMMAND=(__meterbridge_prompt "${PROMPT_COMMAND[@]}")
	PS0=${PS0%$'\033]133;C;aid=@NONCE@\007'}$'\033]133;C;aid=@NONCE@\007'
	case $PS1 in *'133;B;aid=@NONCE@'*) ;; *) PS1=$PS1'\[\033]133;B;aid=@NONCE@\007\]' ;; esac
	case $PS2 in *'133;A;k=s;aid=@NONCE@'*) ;; *) PS2='\[\033]133;A;k=s;aid=@NONCE@\007\]'$PS2 ;; esac
}
__meterbridge_marks
