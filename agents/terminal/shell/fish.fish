# The user's own files are read before this; here are the marks around prompts and commands.
command rm -rf -- @FOLDER@
function __meterbridge_marks
    function __meterbridge_preexec --on-event fish_preexec
        printf '\033]133;C;aid=@NONCE@\007'
    end
    function __meterbridge_postexec --on-event fish_postexec
        printf '\033]133;D;%s;aid=@NONCE@\007' $status
    end
    function __meterbridge_posterror --on-event fish_posterror
        printf '\033]133;D;127;aid=@NONCE@\007'
    end
    function __meterbridge_prompt --on-event fish_prompt --on-event fish_cancel
        printf '\033]133;A;aid=@NONCE@\007'
    end
end
__meterbridge_marks
