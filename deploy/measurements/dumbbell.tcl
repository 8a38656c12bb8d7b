# One bottleneck of 10 Gbit/s and an RTT of 100 us for the authors' ns-2 code of ExpressPass 2017, kaist-ina/ns2-xpass: endless flows that start together,
# as in src/apps/bench/sim.ts.
#   ns dumbbell.tcl PAIRS SECONDS
set pairs [lindex $argv 0]
set seconds [lindex $argv 1]
set ns [new Simulator]
# Bytes a second of credits, 84 / (84 + 1538) of the link.
set credit_rate 64734895

# The agents append to it.
file mkdir outputs
close [open outputs/fct.out w]

Queue/DropTail set mean_pktsize_ 1538
Queue/DropTail set qlim_ 250
Queue/XPassDropTail set credit_limit_ [expr 84 * 8]
Queue/XPassDropTail set max_tokens_ [expr 84 * 2]
Queue/XPassDropTail set data_limit_ [expr 1538 * 250]
Queue/XPassDropTail set token_refresh_rate_ $credit_rate
Agent/XPass set min_credit_size_ 76
Agent/XPass set max_credit_size_ 92
Agent/XPass set max_credit_rate_ $credit_rate
Agent/XPass set cur_credit_rate_ [expr 0.5 * $credit_rate]
Agent/XPass set w_ 0.5

set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right 10Gb 30us XPassDropTail

proc host {switch} {
  global ns
  set node [$ns node]
  $ns simplex-link $node $switch 10Gb 10us DropTail
  $ns simplex-link $switch $node 10Gb 10us XPassDropTail
  set agent [new Agent/XPass]
  $ns attach-agent $node $agent
  return $agent
}

for {set flow 0} {$flow < $pairs} {incr flow} {
  set sender [host $left]
  set receiver [host $right]
  $sender set fid_ $flow
  $receiver set fid_ $flow
  $ns connect $sender $receiver
  $ns at 0.0 "$sender advance-bytes 100000000000"
}

$ns at $seconds "exit 0"
$ns run
