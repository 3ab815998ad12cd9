package org.nyala.core.password;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests which stored passwords are weaker than new ones. */
class HashStrengthTest {
  private static final String SALT_AND_HASH = "$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA";
  private static final String KEY_64 = "A".repeat(86);

  /** Of rising strength; those in one line are equals, as far as the rule tells. */
  private static final List<List<String>> RISING =
      List.of(
          List.of("secret", "{CLEARTEXT}secret"),
          List.of("{CRYPT}xxPzEWLbBJT1E"),
          List.of("{MD5}Xr4ilOzQ4PCOq3aQ0qbuaQ=="),
          List.of("{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ="),
          List.of("{SMD5}OiScjcUPrMWkYCY3bxJtt9iRTfY="),
          List.of("{SSHA}5en6G6MezRroT3XKqkdPOmY/BfRzYWx0"),
          List.of("{SSHA256}" + "A".repeat(52)),
          List.of("{SSHA512}" + "A".repeat(92)),
          List.of("{CRYPT}$1$saltsalt$9xy1btjgzLYfb7hivXtC//"),
          List.of("{PBKDF2-SHA512}4999$AAAAAAAAAAAAAAAAAAAAAA$" + KEY_64),
          List.of("{CRYPT}$6$salt$x", "{CRYPT}$5$salt$x", "{CRYPT}$5$rounds=5000$salt$x"),
          List.of("{CRYPT}$6$rounds=9000$salt$x"),
          List.of("{PBKDF2-SHA512}210000$AAAAAAAAAAAAAAAAAAAAAA$" + KEY_64),
          List.of("{BCRYPT}$2a$10$abcdefghijklmnopqrstuv", "{CRYPT}$2y$10$abcdefghijklmnopqrstuv"),
          List.of("{BCRYPT}$2b$12$abcdefghijklmnopqrstuv"),
          List.of("{ARGON2}$argon2id$v=19$m=4096,t=3,p=1" + SALT_AND_HASH),
          List.of(
              "{ARGON2}$argon2id$v=19$m=7168,t=5,p=1" + SALT_AND_HASH,
              "{ARGON2}$argon2i$v=19$m=7168,t=5,p=1" + SALT_AND_HASH),
          List.of("{ARGON2}$argon2id$v=19$m=65536,t=2,p=1" + SALT_AND_HASH));

  private static PasswordHash hash(String stored) {
    PasswordHash hash = PasswordHash.parse(stored.getBytes(US_ASCII));
    assertThat(hash.isUsable()).as(stored).isTrue();
    return hash;
  }

  @Test
  void shouldOrderSchemesAndTheirParameters() {
    for (int i = 0; i < RISING.size(); i++) {
      for (int j = 0; j < RISING.size(); j++) {
        for (String one : RISING.get(i)) {
          for (String other : RISING.get(j)) {
            assertThat(hash(one).isWeakerThan(hash(other)))
                .as("%s < %s", one, other)
                .isEqualTo(i < j);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SSHA", "SSHA512", "CRYPT", "BCRYPT", "ARGON2", "SCRAM_SHA256"})
  void shouldNotFindNewHashesWeakerThanNewHashes(PasswordScheme scheme) {
    PasswordHash wanted = PasswordHash.decoy(scheme);
    byte[] created =
        PasswordHash.create(scheme, "secret".getBytes(US_ASCII), new java.util.Random(1));
    assertThat(PasswordHash.parse(created).isWeakerThan(wanted)).isFalse();
    assertThat(hash("secret").isWeakerThan(wanted)).isTrue();
  }

  @Test
  void shouldKeepTheKeysOfScram() {
    byte[] keys =
        PasswordHash.create(
            PasswordScheme.SCRAM_SHA256, "secret".getBytes(US_ASCII), new java.util.Random(1));
    assertThat(PasswordHash.parse(keys).isWeakerThan(PasswordHash.decoy(PasswordScheme.ARGON2)))
        .isFalse();
    assertThat(hash("{SSHA512}" + "A".repeat(92)).isWeakerThan(PasswordHash.parse(keys))).isTrue();
    assertThat(
            PasswordHash.parse("{NEW}x".getBytes(US_ASCII))
                .isWeakerThan(hash("{SHA256}" + "A".repeat(43) + "=")))
        .isFalse();
  }
}
