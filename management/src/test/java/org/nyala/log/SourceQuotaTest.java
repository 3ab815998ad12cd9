package org.nyala.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.nyala.core.session.ClientSource;

class SourceQuotaTest {
  private static ClientSource from(String address) {
    return new ClientSource(new InetSocketAddress(InetAddress.ofLiteral(address), 1), null, null);
  }

  @Test
  void shouldGiveTenSecondsAtOnceAndThenOneAfterTheOther() {
    long now = Long.MAX_VALUE - 5;
    SourceQuota quota = new SourceQuota(2, now);
    int taken = 0;
    while (quota.take(7, now)) {
      taken++;
    }
    assertThat(taken).isEqualTo(20);
    assertThat(quota.take(8, now)).isTrue();
    long half = TimeUnit.MILLISECONDS.toNanos(500);
    // The clock overflows meanwhile.
    assertThat(quota.take(7, now + half)).isTrue();
    assertThat(quota.take(7, now + half)).isFalse();
    assertThat(quota.take(7, now + 3 * half)).isTrue();
    assertThat(quota.take(7, now + 3 * half)).isTrue();
    assertThat(quota.take(7, now + 3 * half)).isFalse();
  }

  @Test
  void shouldCountWhatIsLeftOut() {
    SourceQuota quota = new SourceQuota(1, 0);
    assertThat(quota.leftOut(3)).isZero();
    assertThat(quota.isFirstLeftOut(3)).isTrue();
    assertThat(quota.isFirstLeftOut(3)).isFalse();
    assertThat(quota.leftOut(3)).isEqualTo(2);
    assertThat(quota.isFirstLeftOut(3)).isTrue();
  }

  /** A client that has one address of an IPv6 network has all of them. */
  @Test
  void shouldKnowANetworkAsOneSource() {
    SourceQuota quota = new SourceQuota(1, 0);
    assertThat(quota.place(from("2001:db8::1"))).isEqualTo(quota.place(from("2001:db8::ff:2")));
    assertThat(quota.place(from("192.0.2.1"))).isEqualTo(quota.place(from("192.0.2.1")));
    Set<Integer> places = new HashSet<>();
    for (int i = 0; i < 256; i++) {
      places.add(quota.place(from("192.0.2." + i)));
      places.add(quota.place(from("2001:db8:0:" + Integer.toHexString(i) + "::1")));
      places.add(quota.place(new ClientSource(null, null, new ClientSource.LocalProcess(i, 0, i))));
    }
    // Of 768 in 4,096 places, about 70 share one by chance.
    assertThat(places).hasSizeGreaterThan(600);
  }
}
