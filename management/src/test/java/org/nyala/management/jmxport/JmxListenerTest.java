package org.nyala.management.jmxport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests which connection is closed when all slots for JMX clients are taken. */
@Timeout(300)
class JmxListenerTest {
  private final List<Socket> clients = new ArrayList<>();
  private JmxListener listener;
  private ServerSocket listening;

  @BeforeEach
  void open() throws IOException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    listener = JmxListener.open(address, new JmxBounds(4, 3600), null);
    listening = listener.createServerSocket(0);
  }

  @AfterEach
  void close() throws IOException {
    for (Socket client : clients) {
      client.close();
    }
    listener.close();
  }

  /** Connects, and returns the server's end of the connection. */
  private Socket accept() throws IOException {
    clients.add(new Socket(listening.getInetAddress(), listening.getLocalPort()));
    return listening.accept();
  }

  private static void comeIn(JmxListener listener, Socket accepted) throws IOException {
    accepted.getInputStream();
    listener.cameIn();
  }

  @Test
  void shouldGiveLoopbackAllPlacesAndOthersTheirs() throws IOException {
    assertThat(listener.places(InetAddress.ofLiteral("192.0.2.1"))).isEqualTo(4);
    assertThat(listener.places(InetAddress.ofLiteral("2001:db8::1"))).isEqualTo(4);
    assertThat(listener.places(InetAddress.ofLiteral("127.0.0.3"))).isEqualTo(64);
    assertThat(listener.places(InetAddress.ofLiteral("::1"))).isEqualTo(64);
    List<Socket> accepted = new ArrayList<>();
    for (int i = 0; i < JmxBounds.CONNECTIONS; i++) {
      accepted.add(accept());
    }
    assertThat(accepted).noneMatch(Socket::isClosed);
  }

  @Test
  void shouldLetAnyOfThoseGiveWayThatAreNotIn() throws IOException {
    List<Socket> accepted = new ArrayList<>();
    for (int i = 0; i < JmxBounds.CONNECTIONS; i++) {
      accepted.add(accept());
    }
    Socket inside = accepted.get(20);
    comeIn(listener, inside);
    Set<Integer> gone = new HashSet<>();
    for (int i = 0; i < 40; i++) {
      Socket newcomer = accept();
      assertThat(newcomer.isClosed()).isFalse();
      accepted.add(newcomer);
      assertThat(accepted.stream().filter(each -> !each.isClosed()))
          .hasSize(JmxBounds.CONNECTIONS)
          .contains(inside);
    }
    for (int i = 0; i < accepted.size(); i++) {
      if (accepted.get(i).isClosed()) {
        gone.add(i);
      }
    }
    // The probability that the 40 oldest are closed in turn is less than one in 60 to the power of
    // 39.
    Set<Integer> oldest = new HashSet<>();
    for (int i = 0; i <= 40; i++) {
      oldest.add(i);
    }
    oldest.remove(20);
    assertThat(gone).hasSize(40).isNotEqualTo(oldest);
  }

  @Test
  void shouldLetTheLongestSilentGiveWayWhereAllAreIn() throws IOException {
    List<Socket> accepted = new ArrayList<>();
    for (int i = 0; i < JmxBounds.CONNECTIONS; i++) {
      Socket each = accept();
      comeIn(listener, each);
      accepted.add(each);
    }
    accept();
    assertThat(accepted.stream().filter(Socket::isClosed)).containsExactly(accepted.getFirst());
  }
}
