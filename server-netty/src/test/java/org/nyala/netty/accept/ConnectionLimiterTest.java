package org.nyala.netty.accept;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/** The number of connections that one client may have. */
class ConnectionLimiterTest {
  private final ConnectionLimiter gate =
      new ConnectionLimiter(new RejectedConnections(new LongAdder()), 0, 2);

  private static InetAddress address(String text) throws UnknownHostException {
    return InetAddress.getByName(text);
  }

  @Test
  void shouldCountAnIpv6NetworkAsOneClient() throws UnknownHostException {
    assertThat(gate.enter(address("2001:db8:1:2::1"))).isPositive();
    assertThat(gate.enter(address("2001:db8:1:2::2"))).isPositive();
    assertThat(gate.enter(address("2001:db8:1:2::3"))).isZero();
    assertThat(gate.enter(address("2001:db8:1:3::1"))).isPositive();
    gate.leave(address("2001:db8:1:2::2"));
    assertThat(gate.enter(address("2001:db8:1:2::4"))).isPositive();
    assertThat(gate.enter(address("2001:db8:1:2::1"))).isZero();
    assertThat(gate.count()).isEqualTo(3);
  }

  @Test
  void shouldCountIpv4AddressesEach() throws UnknownHostException {
    assertThat(gate.enter(address("192.0.2.1"))).isPositive();
    assertThat(gate.enter(address("192.0.2.1"))).isPositive();
    assertThat(gate.enter(address("192.0.2.1"))).isZero();
    assertThat(gate.enter(address("192.0.2.2"))).isPositive();
  }
}
