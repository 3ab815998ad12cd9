package org.nyala.management.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.junit.jupiter.api.Test;

/** Tests connections whose conversation fails. */
class HttpConnectionTest {
  private static String answer(InetSocketAddress address, String path) throws IOException {
    try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
      String request = "GET " + path + " HTTP/1.1\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  private static HttpAnswer converse(HttpRequest request) {
    if (request.path().equals("/bad")) {
      throw new IllegalStateException("canary");
    }
    return HttpAnswer.text(HttpAnswer.OK, "good");
  }

  @Test
  void shouldAnswerThatTheServerHasFailed() throws Exception {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (HttpAcceptor acceptor =
        HttpAcceptor.start(any, null, (request, _, _) -> converse(request))) {
      for (int i = 0; i < 2; i++) {
        assertThat(answer(acceptor.address(), "/bad"))
            .startsWith("HTTP/1.1 500 ")
            .doesNotContain("canary");
        assertThat(answer(acceptor.address(), "/good")).startsWith("HTTP/1.1 200 ");
      }
    }
  }
}
