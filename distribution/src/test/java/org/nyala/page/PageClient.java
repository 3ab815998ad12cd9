package org.nyala.page;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.nyala.server.RunningServer;

/**
 * A client of the live page that sends bytes as a test wants them.
 *
 * <p>Immutable.
 *
 * @param port the HTTP port
 */
record PageClient(int port) {
  static final String HOST = "Host: localhost";
  static final String MARK = "X-Nyala-Page: 1";
  static final String JSON = "Content-Type: application/json";

  private static final int TIMEOUT_MILLIS = 30_000;

  static PageClient of(RunningServer server) {
    return new PageClient(server.httpAddress().orElseThrow().getPort());
  }

  /**
   * An answer.
   *
   * @param status the code; 0 if the connection ended without one
   */
  record Answer(int status, String head, String body) {
    JsonObject json() {
      assertThat(head).containsIgnoringCase("Content-Type: application/json");
      return JsonParser.parseString(body).getAsJsonObject();
    }

    String sentence() {
      return json().get("sentence").getAsString();
    }
  }

  /** The events of a page. */
  record Events(Socket socket, BufferedReader lines) implements AutoCloseable {
    /** Returns the next event, as its lines. */
    List<String> next() throws IOException {
      List<String> event = new ArrayList<>();
      String line = lines.readLine();
      while (line != null && !line.isEmpty()) {
        event.add(line);
        line = lines.readLine();
      }
      return event;
    }

    /** Returns the next sample. */
    JsonObject sample() throws IOException {
      List<String> event = next();
      while (!event.contains("event: sample")) {
        assertThat(event).as("an event").isNotEmpty();
        event = next();
      }
      return JsonParser.parseString(event.getLast().substring("data: ".length())).getAsJsonObject();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  Socket open() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    return socket;
  }

  /** Sends bytes, and returns what comes until the end. */
  Answer send(byte[] request) throws IOException {
    try (Socket socket = open()) {
      socket.getOutputStream().write(request);
      String text = new String(socket.getInputStream().readAllBytes(), UTF_8);
      int end = text.indexOf("\r\n\r\n");
      return text.startsWith("HTTP/1.1 ")
          ? new Answer(
              Integer.parseInt(text.substring(9, 12)),
              text.substring(0, end),
              text.substring(end + 4))
          : new Answer(0, "", text);
    }
  }

  Answer request(String line, String body, String... headers) throws IOException {
    String head = line + "\r\n" + String.join("\r\n", headers) + "\r\n\r\n";
    byte[] content = body.getBytes(UTF_8);
    byte[] request = Arrays.copyOf(head.getBytes(ISO_8859_1), head.length() + content.length);
    System.arraycopy(content, 0, request, head.length(), content.length);
    return send(request);
  }

  /** Asks as a browser on this machine does. */
  Answer get(String path, String... headers) throws IOException {
    return request(
        "GET " + path + " HTTP/1.1",
        "",
        Stream.concat(Stream.of(HOST), Stream.of(headers)).toArray(String[]::new));
  }

  JsonObject data() throws IOException {
    Answer answer = get("/page/data");
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer.json();
  }

  /** Asks for an action as the page does. */
  Answer act(String name, String body, String credentials) throws IOException {
    return post(name, body, HOST, MARK, JSON, basic(credentials));
  }

  Answer post(String name, String body, String... headers) throws IOException {
    return request(
        "POST /page/actions/" + name + " HTTP/1.1",
        body,
        Stream.concat(
                Stream.of(headers), Stream.of("Content-Length: " + body.getBytes(UTF_8).length))
            .toArray(String[]::new));
  }

  /** Opens the events, and reads their head. */
  Events events(String... headers) throws IOException {
    Socket socket = open();
    String head =
        "GET /page/events HTTP/1.1\r\n"
            + String.join("\r\n", headers.length == 0 ? new String[] {HOST} : headers)
            + "\r\n\r\n";
    socket.getOutputStream().write(head.getBytes(ISO_8859_1));
    Events events =
        new Events(
            socket, new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8)));
    List<String> answer = events.next();
    assertThat(answer.getFirst()).isEqualTo("HTTP/1.1 200 OK");
    assertThat(answer)
        .contains("Content-Type: text/event-stream; charset=utf-8", "X-Accel-Buffering: no");
    return events;
  }

  /** Returns the header of a name and a password. */
  static String basic(String credentials) {
    return "Authorization: Basic "
        + Base64.getEncoder().encodeToString(credentials.getBytes(UTF_8));
  }
}
