package org.nyala.core.password;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.codec.digest.Crypt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;

final class HashBoundsTest {
  private static final String SALT = "abcdefghijklmnopqrstuu";

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{CRYPT}$6$rounds=999999999$saltsalt$x",
        "{crypt}$5$rounds=1000001$saltsalt$x",
        "{CRYPT}$6$rounds=0001000001$saltsalt$x",
        "{CRYPT}$6$rounds=99999999999999999999$saltsalt$x",
        "{CRYPT}$2a$15$" + SALT + "OQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a",
        "{BCRYPT}$2y$31$" + SALT + "OQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a",
        "{BCRYPT}$2$15$" + SALT
      })
  void shouldMatchNothingBeyond(String stored) {
    assertThat(HashBounds.DEFAULT.excess(bytes(stored)))
        .containsAnyOf("password.maximumCryptRounds", "password.maximumBcryptCost")
        .doesNotContain("salt", SALT);
    PasswordHash hash = PasswordHash.parse(bytes(stored));
    assertThat(hash.isUsable()).isFalse();
    assertThat(hash.isSlow()).isFalse();
    assertThat(hash.matches(bytes("secret"))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "$6$rounds=999999999$saltsalt$x",
        "{CLEARTEXT}$6$rounds=999999999$saltsalt$x",
        "{UNKNOWN}$6$rounds=999999999$saltsalt$x",
        "{CRYPT}$6$rounds=1000000$saltsalt$x",
        "{CRYPT}$6$saltsalt$x",
        "{CRYPT}$2a$14$" + SALT,
        "{CRYPT}",
        "{}",
        "{",
        ""
      })
  void shouldLeaveTheRestAlone(String stored) {
    assertThat(HashBounds.DEFAULT.excess(bytes(stored))).isNull();
  }

  @Test
  void shouldTakeOtherBounds() {
    byte[] stored = bytes("{CRYPT}" + Crypt.crypt("secret", "$5$rounds=6001$salt"));
    assertThat(PasswordHash.parse(stored, crypt(6000, 10)).isUsable()).isFalse();
    assertThat(PasswordHash.parse(stored, crypt(6001, 10)).matches(bytes("secret"))).isTrue();
    assertThatThrownBy(() -> crypt(4999, 10)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> crypt(5000, 9)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new HashBounds(5000, 10, 209_999, 7168, 5, 1, 1 << 10, 3))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new HashBounds(5000, 10, 210_000, 7167, 5, 1, 1 << 10, 3))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static HashBounds crypt(int rounds, int cost) {
    return new HashBounds(rounds, cost, 210_000, 7168, 5, 1, 1 << 10, 3);
  }

  @ParameterizedTest
  @CsvSource({
    "{PBKDF2-SHA512}2000001$AAAA$AAAA, maximumPbkdf2Iterations",
    "{pbkdf2}99999999999999999999$AAAA$AAAA, maximumPbkdf2Iterations",
    "'{ARGON2}$argon2id$v=19$m=65537,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAA', maximumArgon2Kibibytes",
    "'{ARGON2}$argon2i$m=4294967295,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAA', maximumArgon2Kibibytes",
    "'{ARGON2}$argon2id$v=19$m=64,t=17,p=1$AAAAAAAAAAA$AAAAAAAAAAA', maximumArgon2Passes",
    "'{argon2}$argon2d$v=19$m=64,t=1,p=5$AAAAAAAAAAA$AAAAAAAAAAA', maximumArgon2Lanes",
    "'{CRYPT}$y$jCT$....$x', maximumYescryptKibibytes",
    "'{crypt}$gy$jFT$....$x', maximumYescryptKibibytes",
    "'{CRYPT}$y$j75/2$....$x', maximumYescryptPasses",
    "'{CRYPT}$y$/750/0$....$x', maximumYescryptPasses"
  })
  void shouldBoundKeyDerivation(String stored, String key) {
    assertThat(HashBounds.DEFAULT.excess(bytes(stored))).contains(key);
    PasswordHash hash = PasswordHash.parse(bytes(stored));
    assertThat(hash.isUsable()).isFalse();
    assertThat(hash.matches(bytes("x"))).isFalse();
  }

  @Test
  void shouldHashAsOthersDo() {
    Random random = new Random(Seeds.seed());
    for (int i = 0; i < 60; i++) {
      byte[] password = new byte[i < 50 ? random.nextInt(70) : random.nextInt(513)];
      random.nextBytes(password);
      String settings =
          (random.nextBoolean() ? "$5$" : "$6$")
              + (random.nextBoolean() ? "rounds=" + random.nextInt(1, 2000) + "$" : "")
              + "./saltSALT0123456789".substring(0, random.nextInt(1, 17));
      String expected = Crypt.crypt(password.clone(), settings);
      assertThat(PasswordHash.parse(bytes("{CRYPT}" + expected)).matches(password))
          .as(expected)
          .isTrue();
      password = password.length == 0 ? new byte[1] : password;
      password[random.nextInt(password.length)]++;
      assertThat(PasswordHash.parse(bytes("{CRYPT}" + expected)).matches(password)).isFalse();
    }
  }

  @Test
  void shouldStopWhenNobodyWaits() {
    byte[] stored = bytes("{CRYPT}$6$rounds=1000000$saltsalt$x");
    AtomicInteger looks = new AtomicInteger();
    assertThat(PasswordHash.parse(stored).matches(bytes("x"), () -> looks.incrementAndGet() == 3))
        .isFalse();
    assertThat(looks).hasValue(3);
  }

  @Test
  void shouldMakeDecoysThatCostTheSameAndHoldNothing() {
    for (String stored :
        new String[] {
          "{SSHA}QvYeQVWHvt4XqaIhpHzRtC3rF8plzC+x",
          "secret",
          "{CRYPT}abNANd1rDfiNc",
          "{CRYPT}" + Crypt.crypt("secret", "$6$rounds=1000$saltsalt"),
          "{CRYPT}$2a$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a"
        }) {
      PasswordHash hash = PasswordHash.parse(bytes(stored));
      PasswordHash decoy = hash.decoy();
      assertThat(decoy.costsAs(hash)).as(stored).isTrue();
      assertThat(decoy.matches(bytes("secret"))).as(stored).isFalse();
      assertThat(decoy).as(stored).isNotEqualTo(hash);
    }
    PasswordHash more = PasswordHash.parse(bytes("{CRYPT}$6$rounds=2000$saltsalt$x"));
    assertThat(more.costsAs(PasswordHash.parse(bytes("{CRYPT}$6$saltsalt$x")))).isFalse();
    assertThat(more.costsAs(PasswordHash.parse(bytes("{CRYPT}$6$rounds=2000$other$y")))).isTrue();
  }

  /** Uses the vector of the paper's appendix. */
  @Test
  void shouldHashWithAKey() {
    KeyedHash hash = new KeyedHash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);
    byte[] input = new byte[15];
    for (int i = 0; i < input.length; i++) {
      input[i] = (byte) i;
    }
    assertThat(hash.of(input)).isEqualTo(0xa129ca6149be45e5L);
    assertThat(hash.of(new byte[0])).isEqualTo(0x726fdb47dd0e0e31L);
    assertThat(hash.of(new byte[] {0, 1, 2, 3, 4, 5, 6, 7})).isEqualTo(0x93f5f5799a932462L);
  }
}
