package org.nyala.management;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The HTTP of the management port, of a server that is starting. */
class ManagementHttpTest {
  private ManagementHttp http;

  @BeforeEach
  void start() throws IOException {
    http = ManagementHttp.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    http.ready(true);
  }

  @AfterEach
  void stop() {
    http.close();
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(UTF_8));
  }

  /** Requests as scripts and balancers send them, and some that are none. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /live HTTP/1.0|200 OK",
        "\r\nGET http://a:1/live?x=y HTTP/1.1\r\nConnection: close|200 OK",
        "GET /live HTTP/1.1\nHost: a\nConnection: close|200 OK",
        "POST /live HTTP/1.1\r\nContent-Length: 5|405 Method Not Allowed",
        "GET /live|400 Bad Request",
        "GET /live HTTP/2.0|400 Bad Request",
        "GET \\ HTTP/1.1|400 Bad Request"
      })
  void shouldUnderstandRequestsOfEveryForm(String request) throws Exception {
    String[] parts = request.split("\\|", -1);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), http.address().getPort())) {
      socket.setSoTimeout(60_000);
      send(socket, parts[0] + "\r\n\r\n12345");
      socket.shutdownOutput();
      String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
      assertThat(answer).startsWith("HTTP/1.1 " + parts[1] + "\r\n").contains("\r\n\r\n");
      assertThat(answer).contains("\r\nConnection: close\r\n");
    }
  }

  @Test
  void shouldKeepConnectionsAndRefuseHeadersWithoutEnd() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), http.address().getPort())) {
      socket.setSoTimeout(60_000);
      send(socket, "GET /live HTTP/1.1\r\nHost: a\r\n\r\nHEAD /live HTTP/1.1\r\n\r\n");
      send(socket, "GET /live HTTP/1.1\r\nLong: " + "x".repeat(20_000) + "\r\n\r\n");
      String answers = new String(socket.getInputStream().readAllBytes(), UTF_8);
      assertThat(answers.split("HTTP/1.1 ", -1)).hasSize(4);
      assertThat(answers)
          .contains("\r\n\r\nlive\nHTTP/1.1 200 OK")
          .contains("\r\n\r\nHTTP/1.1 400 Bad Request");
    }
  }

  @Test
  void shouldSayThatTheServerIsStarting() throws Exception {
    for (String path : new String[] {"/ready", "/metrics"}) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), http.address().getPort())) {
        socket.setSoTimeout(60_000);
        send(socket, "GET " + path + " HTTP/1.0\r\n\r\n");
        assertThat(socket.getInputStream().readAllBytes())
            .asString(UTF_8)
            .startsWith("HTTP/1.1 503 Service Unavailable\r\n");
      }
    }
  }
}
