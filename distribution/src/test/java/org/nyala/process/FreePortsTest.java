package org.nyala.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;

class FreePortsTest {
  /** The ports that Linux hands out begin here, unless it is told otherwise. */
  private static final int HANDED_OUT = 32_768;

  @Test
  void shouldPassOverPortsThatAreTaken() throws Exception {
    int first = FreePorts.take();
    try (ServerSocket taken = new ServerSocket(first + 1, 1, InetAddress.getLoopbackAddress())) {
      assertThat(FreePorts.take()).isBetween(taken.getLocalPort() + 1, HANDED_OUT - 1);
    }
    assertThat(FreePorts.take()).isNotEqualTo(first).isLessThan(HANDED_OUT);
  }
}
