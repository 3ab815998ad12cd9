package org.nyala.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ListenAddressTest {
  @ParameterizedTest
  @CsvSource({
    "ldap://127.0.0.1:1389,127.0.0.1,1389",
    "ldap://127.0.0.1,127.0.0.1,1389",
    "ldap://0.0.0.0:0/,0.0.0.0,0",
    "LDAP://ldap.example.com:389,ldap.example.com,389",
    "ldap://[::1]:65535,::1,65535"
  })
  void shouldReadUrls(String url, String host, int port) {
    assertThat(ListenAddress.parse(url)).isEqualTo(new ListenAddress(host, port));
  }

  @Test
  void shouldReadUrlsOfEncryptedListeners() {
    assertThat(ListenAddress.parse("ldaps://127.0.0.1"))
        .isEqualTo(new ListenAddress("127.0.0.1", 1636, true));
    assertThat(ListenAddress.parse("LDAPS://[::1]:636"))
        .isEqualTo(new ListenAddress("::1", 636, true));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1389",
        "127.0.0.1:1389",
        "http://127.0.0.1:1389",
        "ldap://",
        "ldap://127.0.0.1:65536",
        "ldap://127.0.0.1:x",
        "ldap://127.0.0.1:1389/dc=example",
        "ldap://me@127.0.0.1:1389"
      })
  void shouldSayWhatItExpectsOfAnythingElse(String url) {
    assertThatThrownBy(() -> ListenAddress.parse(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(
            "expected ldap://HOST[:PORT], ldaps://HOST[:PORT] or ldapi:///PATH, found '"
                + url
                + "'");
  }

  @Test
  void shouldReadSocketsOfTheMachine() {
    ListenAddress plain = ListenAddress.parse("ldapi:///run/a b+");
    assertThat(plain.path()).isEqualTo("/run/a b+");
    assertThat(plain.url()).isEqualTo("ldapi://%2Frun%2Fa%20b%2B");
    assertThat(ListenAddress.parse(plain.url())).isEqualTo(plain);
    assertThat(ListenAddress.parse(plain.url() + "/")).isEqualTo(plain);
    for (String url :
        new String[] {
          "ldapi://", "ldapi:///", "ldapi://127.0.0.1", "ldapi:///" + "x".repeat(107)
        }) {
      assertThatThrownBy(() -> ListenAddress.parse(url))
          .hasMessageContaining("expected ldapi:///PATH with at most 107 bytes");
    }
  }

  @Test
  void shouldWriteUrls() {
    assertThat(new ListenAddress("127.0.0.1", 1389).url()).isEqualTo("ldap://127.0.0.1:1389");
    assertThat(new ListenAddress("::1", 1389).url()).isEqualTo("ldap://[::1]:1389");
    assertThat(new ListenAddress("::1", 1636, true).url()).isEqualTo("ldaps://[::1]:1636");
  }
}
