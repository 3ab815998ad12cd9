package org.nyala.core.access.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.core.Seeds;

class NetworkTest {
  private static final long SEED = Seeds.seed();

  private static boolean includes(String network, String address) {
    return Network.parse(network).includes(InetAddress.ofLiteral(address));
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.0/24, 192.0.2.255, true",
    "192.0.2.0/24, 192.0.3.0, false",
    "192.0.2.128/25, 192.0.2.127, false",
    "192.0.2.1, 192.0.2.1, true",
    "192.0.2.1, 192.0.2.2, false",
    "0.0.0.0/0, 255.255.255.255, true",
    "0.0.0.0/0, ::1, false",
    "::/0, ::1, true",
    "::/0, 192.0.2.1, false",
    "::1, 192.0.2.1, false",
    "192.0.2.1, 2001:db8::1, false",
    "2001:db8::/33, 2001:db8:7fff::, true",
    "2001:db8::/33, 2001:db8:8000::, false",
    "::ffff:192.0.2.0/24, 192.0.2.7, true"
  })
  void shouldIncludeAddresses(String network, String address, boolean expected) {
    assertThat(includes(network, address)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "2001:DB8:0:0:1:0:0:0, 2001:db8::1:0:0:0",
    "0:0:0:0:0:0:0:0/0, ::/0",
    "2001:db8:0:1:0:0:0:1, 2001:db8:0:1::1",
    "10.0.0.0/8, 10.0.0.0/8",
    "10.0.0.7/32, 10.0.0.7"
  })
  void shouldBeWrittenShort(String text, String expected) {
    assertThat(Network.parse(text)).hasToString(expected);
    assertThat(Network.parse(expected)).isEqualTo(Network.parse(text));
  }

  @Test
  void shouldRefuseBitsThatDoNotCount() {
    assertThatThrownBy(() -> Network.parse("2001:db8:0:0:1::/64"))
        .hasMessage("bits after the first 64, did you mean 2001:db8::/64?");
  }

  @Test
  void shouldDistinguishNetworks() {
    assertThat(Network.parse("10.0.0.0/8")).isNotEqualTo(Network.parse("10.0.0.0/9"));
    assertThat(Network.parse("10.0.0.0/8")).isNotEqualTo(Network.parse("11.0.0.0/8"));
    assertThat(Network.parse("::/0")).isNotEqualTo(Network.parse("0.0.0.0/0"));
  }

  @Test
  void shouldIncludeAddressesOfZonesAndTheLocalSocket() {
    Zone inner = new Zone("i", List.of(Network.parse("10.0.0.0/8")), Source.NONE);
    Zone zone =
        new Zone("z", List.of(Origin.LocalSocket.LDAPI, inner, Network.parse("::1")), Source.NONE);

    assertThat(zone.includes(null)).isTrue();
    assertThat(zone.includes(InetAddress.ofLiteral("10.9.8.7"))).isTrue();
    assertThat(zone.includes(InetAddress.ofLiteral("::1"))).isTrue();
    assertThat(zone.includes(InetAddress.ofLiteral("::2"))).isFalse();
    assertThat(inner.includes(null)).isFalse();
    assertThat(Origin.LocalSocket.LDAPI.includes(InetAddress.ofLiteral("::1"))).isFalse();
  }

  @Test
  void shouldCountBits() throws UnknownHostException {
    Random random = new Random(SEED);
    for (int i = 0; i < 1_000; i++) {
      byte[] octets = new byte[random.nextBoolean() ? 4 : 16];
      random.nextBytes(octets);
      octets[0] |= 1; // no IPv4 address in IPv6
      int bits = random.nextInt(octets.length * 8 + 1);
      byte[] first = octets.clone();
      for (int bit = bits; bit < octets.length * 8; bit++) {
        first[bit / 8] &= (byte) ~(0x80 >> bit % 8);
      }
      String text = InetAddress.getByAddress(first).getHostAddress() + '/' + bits;
      Network network = Network.parse(text);
      byte[] other = octets.clone();
      int flipped = random.nextInt(octets.length * 8);
      other[flipped / 8] ^= (byte) (0x80 >> flipped % 8);

      assertThat(network.includes(InetAddress.getByAddress(octets)))
          .as("%s %s", SEED, text)
          .isTrue();
      assertThat(network.includes(InetAddress.getByAddress(other)))
          .as("seed %s: %s without bit %s", SEED, text, flipped)
          .isEqualTo(flipped >= bits);
      assertThat(Network.parse(network.toString())).isEqualTo(network);
    }
  }
}
