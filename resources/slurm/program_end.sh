case $code in
126) echo "dailies: $name may not be executed." ;;
127) echo "dailies: $name was not found; is it in the environment of the sweep or the cluster?" ;;
esac
@MARK_END@
exit "$code"
