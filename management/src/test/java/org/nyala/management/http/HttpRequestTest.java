package org.nyala.management.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;

/** Tests the reader of HTTP requests. */
class HttpRequestTest {
  private static final String GOOD =
      "GET /metrics?a=b HTTP/1.1\r\nHost: a:1\r\nACCEPT: x\r\naccept:y \r\nEmpty:\r\n\r\n";

  private static @Nullable HttpRequest read(String text) throws IOException, HttpRefusal {
    return HttpRequest.read(new ByteArrayInputStream(text.getBytes(ISO_8859_1)));
  }

  @Test
  void shouldReadARequestSplitAnywhere() throws Exception {
    byte[] bytes = (GOOD + "a body").getBytes(ISO_8859_1);
    for (int split = 0; split <= bytes.length; split++) {
      InputStream first = new ByteArrayInputStream(Arrays.copyOf(bytes, split));
      InputStream rest = new ByteArrayInputStream(Arrays.copyOfRange(bytes, split, bytes.length));
      HttpRequest request = HttpRequest.read(new SequenceInputStream(first, rest));
      assertThat(request).isNotNull();
      assertThat(request.method()).isEqualTo("GET");
      assertThat(request.path()).isEqualTo("/metrics");
      assertThat(request.header("Accept")).contains("x, y");
      assertThat(request.header("Empty")).contains("");
      assertThat(request.header("Authorization")).isEmpty();
    }
  }

  @Test
  void shouldWaitForTheEndOfTheHead() throws Exception {
    int head = GOOD.length();
    for (int length = 0; length < head; length++) {
      assertThat(read(GOOD.substring(0, length))).as("%d bytes", length).isNull();
    }
    assertThat(read("GET /live HTTP/1.0\n\n")).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET http://127.0.0.1:9339/live HTTP/1.1",
        "GET /live?x HTTP/1.0",
        "GET /live HTTP/1.1\r\nA: b:c",
        "GET /live HTTP/1.1\r\nA: b\u0085c"
      })
  void shouldKnowThePath(String request) throws Exception {
    HttpRequest read = read(request + "\r\n\r\n");
    assertThat(read).isNotNull();
    assertThat(read.path()).isEqualTo("/live");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "GET",
        "GET /live",
        "get /live HTTP/1.1",
        "GET  /live HTTP/1.1",
        "GET /live HTTP/1.1 ",
        "GET /live HTTP/2.0",
        "GET /live HTTP/1.1\r\n folded: x",
        "GET /live HTTP/1.1\r\nno colon",
        "GET /live HTTP/1.1\r\n: no name",
        "GET /live HTTP/1.1\r\nA : b"
      })
  void shouldRefuseWhatIsMalformed(String request) {
    assertThatThrownBy(() -> read(request + "\r\n\r\n")).isInstanceOf(HttpRefusal.class);
  }

  @Test
  void shouldRefuseWhatIsTooLong() throws Exception {
    String longest = GOOD.strip() + "\r\nX: ";
    int left = HttpRequest.MOST_BYTES - longest.length() - 4;
    assertThat(read(longest + "x".repeat(left) + "\r\n\r\n")).isNotNull();
    assertThatThrownBy(() -> read(longest + "x".repeat(left + 1) + "\r\n\r\n"))
        .isInstanceOf(HttpRefusal.class);
  }

  @Test
  void shouldReadTheBodyOfAnActionSplitAnywhere() throws Exception {
    String body = "{\"dn\": \"uid=ä\"}";
    byte[] content = body.getBytes(UTF_8);
    for (String lines : List.of("\r\n", "\n")) {
      String head =
          "POST /page/actions/unlock HTTP/1.1" + lines + "Content-Length: " + content.length;
      ByteArrayOutputStream whole = new ByteArrayOutputStream();
      whole.writeBytes((head + lines + lines).getBytes(ISO_8859_1));
      int begin = whole.size();
      whole.writeBytes(content);
      whole.writeBytes("more".getBytes(ISO_8859_1));
      byte[] bytes = whole.toByteArray();
      for (int split = 0; split <= bytes.length; split++) {
        InputStream first = new ByteArrayInputStream(Arrays.copyOf(bytes, split));
        InputStream rest = new ByteArrayInputStream(Arrays.copyOfRange(bytes, split, bytes.length));
        HttpRequest request = HttpRequest.read(new SequenceInputStream(first, rest));
        assertThat(request).isNotNull();
        assertThat(request.body()).as("split at %d", split).isEqualTo(body);
        assertThat(request.isAction()).isTrue();
      }
      for (int length = 0; length < begin + content.length; length++) {
        assertThat(HttpRequest.read(new ByteArrayInputStream(Arrays.copyOf(bytes, length))))
            .as("%d bytes", length)
            .isNull();
      }
    }
  }

  @Test
  void shouldReadTheLongestBodyAndRefuseALongerOne() throws Exception {
    String head = "POST /page/actions/x HTTP/1.1\r\nContent-Length: ";
    String longest = "x".repeat(HttpRequest.MOST_BODY_BYTES);
    HttpRequest read = read(head + longest.length() + "\r\n\r\n" + longest);
    assertThat(read).isNotNull();
    assertThat(read.body()).isEqualTo(longest);
    for (String length : List.of("16385", "999999999")) {
      assertThatThrownBy(() -> read(head + length + "\r\n\r\n"))
          .isInstanceOf(HttpRefusal.class)
          .hasMessageContaining("at most 16384 bytes");
    }
    // Other requests are answered before their bodies.
    assertThat(read("POST /metrics HTTP/1.1\r\nContent-Length: 999999\r\n\r\n")).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X: y",
        "Content-Length:",
        "Content-Length: -1",
        "Content-Length: +1",
        "Content-Length: 0x1",
        "Content-Length: 1\r\nContent-Length: 1",
        "Content-Length: 1234567890",
        "Content-Length: 1\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked"
      })
  void shouldRefuseABodyOfUnknownLength(String header) {
    assertThatThrownBy(() -> read("POST /page/actions/x HTTP/1.1\r\n" + header + "\r\n\r\n1"))
        .isInstanceOf(HttpRefusal.class);
  }

  @Test
  void shouldRefuseABodyThatIsNoText() {
    assertThatThrownBy(
            () -> read("POST /page/actions/x HTTP/1.1\r\nContent-Length: 2\r\n\r\n\u00c3("))
        .isInstanceOf(HttpRefusal.class)
        .hasMessageContaining("UTF-8");
  }

  @Test
  void shouldReadOrRefuseWhateverComes() throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    byte[] good = GOOD.getBytes(ISO_8859_1);
    int read = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] mutated = good.clone();
      for (int j = 1 + random.nextInt(5); j > 0; j--) {
        mutated[random.nextInt(mutated.length)] = (byte) random.nextInt();
      }
      try {
        read += HttpRequest.read(new ByteArrayInputStream(mutated)) == null ? 0 : 1;
      } catch (HttpRefusal e) {
        assertThat(e.answer().status()).as("test.seed=%s", seed).matches("(400|431|505) .*");
      }
    }
    assertThat(read).as("test.seed=%s", seed).isPositive();
  }
}
