case $code in
126) echo "dailies: ${command[0]} may not be executed." ;;
127) echo "dailies: ${command[0]} was not found; is it in the environment of the sweep or the cluster?" ;;
esac
mark end "$code"
exit "$code"
