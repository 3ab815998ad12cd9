package org.nyala.netty.accept;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

/** The origins of clients, as far as these distinguish them. */
class ChannelAddressesTest {
  private static Object origin(String address) throws UnknownHostException {
    return ChannelAddresses.origin(InetAddress.getByName(address));
  }

  @Test
  void shouldTakeAnIpv6NetworkForOneClient() throws UnknownHostException {
    Object one = origin("2001:db8:1:2::1");
    assertThat(origin("2001:db8:1:2:ffff:ffff:ffff:ffff")).isEqualTo(one).hasSameHashCodeAs(one);
    assertThat(origin("2001:db8:1:3::1")).isNotEqualTo(one);
    assertThat(origin("2001:db8:2:2::1")).isNotEqualTo(one);
  }

  @Test
  void shouldTakeAnIpv4AddressForOneClientHoweverItComes() throws UnknownHostException {
    Object one = origin("192.0.2.1");
    assertThat(one).isEqualTo(InetAddress.getByName("192.0.2.1"));
    assertThat(origin("192.0.2.2")).isNotEqualTo(one);
    byte[] mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, (byte) 192, 0, 2, 1};
    // Native transports do not make an IPv4 address of it.
    assertThat(ChannelAddresses.origin(Inet6Address.getByAddress(null, mapped, -1))).isEqualTo(one);
    mapped[15] = 2;
    assertThat(ChannelAddresses.origin(Inet6Address.getByAddress(null, mapped, -1)))
        .isNotEqualTo(one)
        .isEqualTo(origin("192.0.2.2"));
  }
}
