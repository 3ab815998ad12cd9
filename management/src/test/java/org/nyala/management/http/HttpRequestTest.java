package org.nyala.management.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.Arrays;
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
