package org.nyala.core.password;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.commons.codec.digest.Crypt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PasswordHashTest {
  private static final byte[] PASSWORD = bytes("pässword");

  /** A hash of each scheme, as some take long to make. */
  private static final Map<PasswordScheme, byte[]> MADE = new EnumMap<>(PasswordScheme.class);

  private static byte[] made(PasswordScheme scheme) {
    return MADE.computeIfAbsent(scheme, each -> PasswordHash.create(each, PASSWORD, new Random(1)));
  }

  /** Uses hashes of the password "secret" by other programs. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "secret",
        "{CLEARTEXT}secret",
        "{SSHA}QvYeQVWHvt4XqaIhpHzRtC3rF8plzC+x",
        "{ssha}QvYeQVWHvt4XqaIhpHzRtC3rF8plzC+x",
        "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=",
        "{SMD5}w1aWnYQeNzJ6DWf5fkgxvFHmz0c=",
        "{MD5}Xr4ilOzQ4PCOq3aQ0qbuaQ==",
        "{CRYPT}abNANd1rDfiNc",
        "{CRYPT}$1$saltsalt$9xy1btjgzLYfb7hivXtC//",
        "{crypt}$5$saltsalt$0IyaXrmV7.sGNS6tirgqHLqX/G.FBvgkYA.lpPdS5sA",
        "{CRYPT}$6$saltsalt$TVLlQcbpFVof5W3Yz4DTP6gRstiNuHwwTt6GLc1E5n0U0aDehy0S5knV8wiOQSpT0Y77vwPZN.Pq.H91p5hVO1",
        "{CRYPT}$2a$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a",
        "{CRYPT}$2b$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a",
        "{CRYPT}$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a",
        "{BCRYPT}$2a$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a",
        "{PBKDF2}1000$VzcC9YgQg3j6fvNPuJUaPw$556jpLhYkm3JKqSBe0H/z0ISDh4",
        "{PBKDF2-SHA1}1000$cWABiIi043PqZ8f9J0ZhFw$K.Jz806mZ.3Uso1ObYP3DGkhV4k",
        "{PBKDF2-SHA256}1000$QQUEWPXYp3poKUR7o/MNrg$kZuh3wm924LwKk/eJYjRAk5E9osuBC1BiyE4ni5wB8E",
        "{pbkdf2-sha512}1000$uXCMUaHhpZaszR2AohKYow$AZLwXWhRQcQVkBOLOHQrVupSQTT8FeSp7dGe8kPLpG6OPAGs3dakk0b.Sg6uz3qbdFgDmD9Ii3OKYrF7pw83Kg",
        "{ARGON2}$argon2i$v=19$m=4096,t=3,p=1$/svbBDlujaf2D7LUTMGEXw$2bwajlLE7XKiSmmHqnTixEROjqEO9KaDMZ6hX53EMRY",
        "{ARGON2}$argon2i$v=19$m=1024,t=3,p=2$Z9rSZWnwxIKrw6DkttUSkg$UIpzTsrwT1CN2TxSksF5F/lJkypfzKDGxoXz7O8R4BA",
        "{ARGON2}$argon2id$v=19$m=256,t=2,p=2$c2FsdHNhbHRzYWx0c2FsdA$/XXDCxeVogVOrh1C7Tg9MQby3fdwfgIV",
        "{ARGON2}$argon2id$m=256,t=2,p=2$c2FsdHNhbHRzYWx0c2FsdA$fgDm2ii49PjOjH43KH/wgG/VQdm+PpZT",
        "{argon2}$argon2d$v=19$m=256,t=2,p=2$c2FsdHNhbHRzYWx0c2FsdA$gO5SUbFeuf5zrXrtRdPjmzBH7WPF/kan",
        "{ARGON2}$argon2d$v=16$m=256,t=2,p=2$c2FsdHNhbHRzYWx0c2FsdA$01XrVuBCTOYue0/dOgKqyNVYx5GHKb69",
        "{ARGON2}$argon2id$v=19$m=7168,t=5,p=1$MDEyMzQ1Njc4OWFiY2RlZg$1WrOeYOHOe+p4HO2pwf896hJ4M2x+Vo6V/mXQ4Ud59U"
      })
  void shouldKnowPasswordsHashedElsewhere(String stored) {
    PasswordHash hash = PasswordHash.parse(bytes(stored));
    byte[] password = bytes("secret");
    assertThat(hash.matches(password)).isTrue();
    assertThat(hash.matches(password)).isTrue();
    assertThat(password).isEqualTo(bytes("secret"));
    assertThat(hash.matches(bytes("Secret"))).isFalse();
    assertThat(hash.matches(bytes("secre"))).isFalse();
    assertThat(hash.matches(bytes(""))).isFalse();
    assertThat(hash.toString()).doesNotContain("secret");
  }

  @ParameterizedTest
  @EnumSource(PasswordScheme.class)
  void shouldKnowWhatItHashed(PasswordScheme scheme) {
    byte[] stored = made(scheme);
    byte[] again = PasswordHash.create(scheme, PASSWORD, new Random(2));
    PasswordHash hash = PasswordHash.parse(stored);
    assertThat(new String(stored, StandardCharsets.US_ASCII))
        .startsWith("{" + scheme.label() + "}");
    assertThat(hash.matches(PASSWORD)).isTrue();
    assertThat(hash.matches(bytes("password"))).isFalse();
    assertThat(hash.isSlow()).isEqualTo(scheme.isSlow());
    assertThat(Arrays.equals(stored, again)).isEqualTo(!scheme.isSalted());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{UNKNOWN}secret",
        "{SHA}",
        "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ",
        "{SHA}***",
        "{SHA}QvYeQVWHvt4XqaIhpHzRtC3rF8plzC+x",
        "{SSHA}5en6G6MezRroT3XKqkdPOmY/BfQA",
        "{CRYPT}",
        "{CRYPT}a",
        "{CRYPT}*",
        "{CRYPT}!!",
        "{CRYPT}$2a$",
        "{CRYPT}$2a$99$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a",
        "{CRYPT}$2x$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a",
        "{CRYPT}$6$",
        "{CRYPT}$7$secret",
        "{PBKDF2_SHA256}1000$QQUEWPXYp3poKUR7o/MNrg$kZuh3wm924LwKk/eJYjRAk5E9osuBC1BiyE4ni5wB8E",
        "{PBKDF2-SHA512}1000$QQUEWPXYp3poKUR7o/MNrg$kZuh3wm924LwKk/eJYjRAk5E9osuBC1BiyE4ni5wB8E",
        "{PBKDF2-SHA256}0$QQUEWPXYp3poKUR7o/MNrg$kZuh3wm924LwKk/eJYjRAk5E9osuBC1BiyE4ni5wB8E",
        "{PBKDF2-SHA256}1000$$kZuh3wm924LwKk/eJYjRAk5E9osuBC1BiyE4ni5wB8E",
        "{PBKDF2-SHA256}1000$QQUEWPXYp3poKUR7o/MNrg$",
        "{PBKDF2}",
        "{ARGON2}",
        "{ARGON2}$argon2id$v=19$m=256,t=0,p=2$c2FsdHNhbHRzYWx0c2FsdA$/XXDCxeVogVOrh1C7Tg9MQby3fdwfgIV",
        "{ARGON2}$argon2id$v=19$m=256,t=2,p=0$c2FsdHNhbHRzYWx0c2FsdA$/XXDCxeVogVOrh1C7Tg9MQby3fdwfgIV",
        "{ARGON2}$argon2id$v=19$m=15,t=2,p=2$c2FsdHNhbHRzYWx0c2FsdA$/XXDCxeVogVOrh1C7Tg9MQby3fdwfgIV",
        "{ARGON2}$argon2id$v=20$m=256,t=2,p=2$c2FsdHNhbHRzYWx0c2FsdA$/XXDCxeVogVOrh1C7Tg9MQby3fdwfgIV",
        "{ARGON2}$argon2id$v=19$m=256,t=2,p=2$c2FsdA$/XXDCxeVogVOrh1C7Tg9MQby3fdwfgIV",
        "{ARGON2}$argon2id$v=19$m=256,t=2,p=2$c2FsdHNhbHRzYWx0c2FsdA$/XXD",
        "{ARGON2}$argon2x$v=19$m=256,t=2,p=2$c2FsdHNhbHRzYWx0c2FsdA$/XXDCxeVogVOrh1C7Tg9MQby3fdwfgIV"
      })
  void shouldMatchNothingWhenDamaged(String stored) {
    PasswordHash hash = PasswordHash.parse(bytes(stored));
    assertThat(hash.matches(bytes("secret!"))).isFalse();
    assertThat(hash.matches(bytes(stored))).isFalse();
    assertThat(hash.matches(bytes(stored.substring(stored.indexOf('}') + 1)))).isFalse();
  }

  @Test
  void shouldNotHashLongPasswordsSlowly() {
    byte[] longest = new byte[512];
    byte[] longer = new byte[513];
    Arrays.fill(longest, (byte) 'x');
    Arrays.fill(longer, (byte) 'x');
    assertThat(crypt(longest).matches(longest)).isTrue();
    assertThat(crypt(longer).matches(longer)).isFalse();
    assertThatThrownBy(() -> PasswordHash.create(PasswordScheme.CRYPT, longer, new Random(1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static PasswordHash crypt(byte[] password) {
    return PasswordHash.parse(bytes("{CRYPT}" + Crypt.crypt(password.clone(), "$6$saltsalt")));
  }

  @Test
  void shouldTakeBracesWithoutAnEndForThePassword() {
    assertThat(PasswordHash.parse(bytes("{SHA")).matches(bytes("{SHA"))).isTrue();
    assertThat(PasswordHash.parse(new byte[0]).matches(bytes("x"))).isFalse();
  }

  @Test
  void shouldTellPasswordsApartThatAreNoText() {
    PasswordHash hash =
        PasswordHash.parse(
            PasswordHash.create(PasswordScheme.BCRYPT, bytes("\ufffd"), new Random(1)));
    assertThat(hash.matches(bytes("\ufffd"))).isTrue();
    assertThat(hash.matches(new byte[] {(byte) 0xff})).isFalse();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void shouldRefuseWhatBcryptWouldCutOff() {
    String longest = "x".repeat(72);
    PasswordHash hash =
        PasswordHash.parse(
            PasswordHash.create(PasswordScheme.BCRYPT, bytes(longest), new Random(1)));
    assertThat(hash.matches(bytes(longest))).isTrue();
    assertThat(hash.matches(bytes("x".repeat(71)))).isFalse();
    for (byte[] refused : new byte[][] {bytes(longest + "y"), {(byte) 0xff}}) {
      assertThatThrownBy(() -> PasswordHash.create(PasswordScheme.BCRYPT, refused, new Random(1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("bcrypt takes passwords");
    }
  }

  @Test
  void shouldKnowWhatNoPasswordMatches() {
    for (String stored : new String[] {"{SSHA}x", "{SHA}", "{NOTHING}abc", "{SSHA512}AAAA"}) {
      assertThat(PasswordHash.parse(bytes(stored)).isUsable()).as(stored).isFalse();
    }
    for (String stored : new String[] {"x", "{CLEARTEXT}{x}", "{SHA"}) {
      assertThat(PasswordHash.parse(bytes(stored)).isUsable()).as(stored).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = PasswordScheme.class,
      names = {"CLEARTEXT"},
      mode = EnumSource.Mode.EXCLUDE)
  void shouldCostTheSameForNamesThatDoNotExist(PasswordScheme scheme) {
    PasswordHash hash = PasswordHash.parse(made(scheme));
    PasswordHash decoy = hash.decoy();
    assertThat(decoy.isUsable()).isTrue();
    assertThat(decoy.costsAs(hash)).isTrue();
    assertThat(decoy.matches(PASSWORD)).isFalse();
    assertThat(decoy.decoy().costsAs(hash)).isTrue();
  }

  @Test
  void shouldTellCostsOfKeyDerivationApart() {
    PasswordHash one =
        PasswordHash.parse(
            bytes("{PBKDF2}1000$VzcC9YgQg3j6fvNPuJUaPw$556jpLhYkm3JKqSBe0H/z0ISDh4"));
    PasswordHash more =
        PasswordHash.parse(
            bytes("{PBKDF2}1001$VzcC9YgQg3j6fvNPuJUaPw$556jpLhYkm3JKqSBe0H/z0ISDh4"));
    assertThat(one.costsAs(more)).isFalse();
    PasswordHash argon =
        PasswordHash.parse(
            bytes(
                "{ARGON2}$argon2id$v=19$m=256,t=2,p=2$c2FsdHNhbHRzYWx0c2FsdA$/XXDCxeVogVOrh1C7Tg9MQby3fdwfgIV"));
    PasswordHash other =
        PasswordHash.parse(
            bytes(
                "{ARGON2}$argon2id$v=19$m=257,t=2,p=2$c2FsdHNhbHRzYWx0c2FsdA$/XXDCxeVogVOrh1C7Tg9MQby3fdwfgIV"));
    assertThat(argon.costsAs(other)).isFalse();
    assertThat(argon.costsAs(argon.decoy())).isTrue();
  }

  /** Each of the patterns could be matched in as many ways as there are zeros, to some power. */
  @Test
  @Timeout(60)
  void shouldReadManyZerosAtOnce() {
    String zeros = "0".repeat(20_000);
    for (String stored :
        List.of(
            "{ARGON2}$argon2id$v=19$m=Z1,t=Z1,p=Z1$AAAA$!",
            "{ARGON2}$argon2id$v=19$m=Z,t=Z,p=Z$Z$Z!",
            "{PBKDF2}Z1$AAAA$!",
            "{PBKDF2}Z$Z$Z!",
            "{CRYPT}$6$rounds=Z1!",
            "{CRYPT}$5$rounds=Z$!Z")) {
      PasswordHash hash = PasswordHash.parse(bytes(stored.replace("Z", zeros)));
      assertThat(hash.matches(bytes("x"))).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = PasswordScheme.class,
      names = {"CLEARTEXT"},
      mode = EnumSource.Mode.EXCLUDE)
  void shouldHaveDecoysThatCostAsNewHashes(PasswordScheme scheme) {
    PasswordHash made = PasswordHash.parse(made(scheme));
    PasswordHash decoy = PasswordHash.decoy(scheme);
    assertThat(decoy.costsAs(made)).isTrue();
    assertThat(decoy.isUsable()).isTrue();
    assertThat(decoy.matches(new byte[16])).isFalse();
  }

  @Test
  void shouldNotReplaceAPasswordByAHashThatDoesNotMatch() {
    byte[] password = "secret".getBytes(StandardCharsets.UTF_8);
    byte[] stored =
        PasswordHash.createVerified(
            PasswordScheme.ARGON2, HashCost.DEFAULT, password, new Random(1));
    assertThat(PasswordHash.requireMatch(stored, password)).isSameAs(stored);
    byte[] damaged =
        new String(stored, StandardCharsets.UTF_8)
            .replace("m=7168", "m=????")
            .getBytes(StandardCharsets.UTF_8);
    for (byte[] other : List.of(damaged, "{SASL}secret".getBytes(StandardCharsets.UTF_8))) {
      assertThatThrownBy(() -> PasswordHash.requireMatch(other, password))
          .isInstanceOf(IllegalStateException.class);
    }
  }
}
