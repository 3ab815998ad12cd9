package org.nyala.management.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests who counts as a client on this machine, and what another site may have caused. */
class PageGateTest {
  private static HttpRequest request(String version, String... headers) throws Exception {
    String text = "GET /page/data HTTP/" + version + "\r\n" + String.join("\r\n", headers);
    HttpRequest read =
        HttpRequest.read(new ByteArrayInputStream((text + "\r\n\r\n").getBytes(ISO_8859_1)));
    assertThat(read).isNotNull();
    return read;
  }

  private static boolean isOfThisMachine(String... headers) throws Exception {
    return PageGate.isOfThisMachine(request("1.1", headers), "127.0.0.1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "LOCALHOST:9339",
        "localhost:9339",
        "127.0.0.1",
        "127.0.0.1:9339",
        "127.8.7.6:1",
        "[::1]",
        "[::1]:9339"
      })
  void shouldKnowThisMachine(String host) throws Exception {
    assertThat(isOfThisMachine("Host: " + host)).isTrue();
    for (String address : new String[] {"127.0.0.2", "::1", "0:0:0:0:0:0:0:1"}) {
      assertThat(PageGate.isOfThisMachine(request("1.1", "Host: " + host), address)).isTrue();
    }
    for (String address : new String[] {"192.0.2.1", "10.0.0.1", "2001:db8::1", "unknown", ""}) {
      assertThat(PageGate.isOfThisMachine(request("1.1", "Host: " + host), address)).isFalse();
    }
    assertThat(PageGate.isOfThisMachine(request("1.0", "Host: " + host), "127.0.0.1")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "evil.example",
        "evil.example:9339",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil.example:127.0.0.1",
        "localhost:9339:1",
        "localhost@evil.example",
        "[::1",
        "::1",
        "[::2]",
        "192.0.2.1",
        "0.0.0.0",
        "localhost, evil.example",
        "127.0.0.1, 127.0.0.1",
        "local host",
        "localhost:"
      })
  void shouldNotTakeAnotherNameForThisMachine(String host) throws Exception {
    assertThat(isOfThisMachine("Host: " + host)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Forwarded: for=192.0.2.1",
        "X-Forwarded-For: 192.0.2.1",
        "x-forwarded-for:",
        "X-FORWARDED-HOST: a",
        "X-Forwarded-Proto: https",
        "X-Forwarded: 1",
        "Via: 1.1 proxy",
        "X-Real-IP: 192.0.2.1",
        "X-Client-IP: 192.0.2.1",
        "CF-Connecting-IP: 192.0.2.1",
        "X-Original-URL: /"
      })
  void shouldNotTakeAProxyForAClientOfThisMachine(String header) throws Exception {
    assertThat(isOfThisMachine("Host: localhost")).isTrue();
    assertThat(isOfThisMachine("Host: localhost", header)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X: y",
        "Sec-Fetch-Site: same-origin",
        "Sec-Fetch-Site: none",
        "Origin: http://ldap.example.com:9339",
        "Origin: https://LDAP.example.com:9339"
      })
  void shouldTakeRequestsOfItsOwnPage(String header) throws Exception {
    assertThat(PageGate.foreign(request("1.1", "Host: ldap.example.com:9339", header))).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
        "Sec-Fetch-Site: same-origin, cross-site",
        "Sec-Fetch-Site: SAME-ORIGIN",
        "Sec-Fetch-Site:",
        "Origin: http://ldap.example.com",
        "Origin: http://evil.example",
        "Origin: null",
        "Origin:",
        "Origin: http://ldap.example.com:9339.evil.example",
        "Origin: ftp://ldap.example.com:9339",
        "Origin: http://ldap.example.com:9339/"
      })
  void shouldRefuseRequestsOfOtherSites(String header) throws Exception {
    assertThat(PageGate.foreign(request("1.1", "Host: ldap.example.com:9339", header)))
        .isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Origin: http://", "Origin: null", "Origin: http://a"})
  void shouldRefuseAnOriginWithoutAHost(String header) throws Exception {
    assertThat(PageGate.foreign(request("1.1", header))).isNotEmpty();
  }
}
