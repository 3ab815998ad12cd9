package org.nyala.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.config.ConfigurationFile;
import org.nyala.config.NyalaConfig;
import org.nyala.core.password.HashSpeed;
import org.nyala.core.password.PasswordScheme;
import org.nyala.server.LoginRate;

/** Tests the words about logins, on a machine whose hashes take what the test says. */
class LoginOutlookTest {
  private static final LoginRate.Gauge MACHINE =
      (scheme, _) -> new HashSpeed(scheme.isSlow() ? 20_000_000 : 500);

  @TempDir Path folder;

  private NyalaConfig configuration(String text) throws Exception {
    Path file = folder.resolve("nyala.conf");
    Files.writeString(file, "nyala { dispatch.hashThreads = 1\n" + text + " }");
    return ConfigurationFile.read(file, folder);
  }

  private static Map<PasswordScheme, Long> passwords(PasswordScheme scheme, long number) {
    return new TreeMap<>(Map.of(scheme, number));
  }

  @Test
  void shouldSayWhatComesAfterFastHashes() throws Exception {
    List<String> lines =
        LoginOutlook.lines(configuration(""), passwords(PasswordScheme.SSHA, 10_000), MACHINE);
    assertThat(lines.getFirst()).isEqualTo("passwords: 10000 SSHA");
    assertThat(lines.get(1))
        .isEqualTo(
            "logins by SSHA on this machine: less than 0.01 ms, little beside the rest of a login");
    assertThat(lines.get(2))
        .isEqualTo(
            "weaker ones are stored anew by ARGON2 after a login (password.upgradeAtBind);"
                + " first logins take 20.0 ms, 50 a second from then on");
    assertThat(lines.get(3)).contains("within 600 s").contains("computes none");
  }

  @Test
  void shouldSayWhatTheConfigurationHasDone() throws Exception {
    assertThat(
            LoginOutlook.lines(
                configuration("password { upgradeAtBind = false, rememberSeconds = 0 }"),
                passwords(PasswordScheme.ARGON2, 10_000),
                MACHINE))
        .noneMatch(line -> line.contains("stored anew"))
        .anyMatch(line -> line.startsWith("logins by ARGON2 on this machine: 20.0 ms, 50"))
        .anyMatch(line -> line.contains("every login computes a hash"));
  }

  @Test
  void shouldNotMeasureForFewPasswords() throws Exception {
    assertThat(LoginOutlook.of(configuration(""), passwords(PasswordScheme.SSHA, 999))).isEmpty();
  }

  @Test
  void shouldWarnOfFewerLoginsThanExpected() throws Exception {
    String key = "password.expectedLoginsPerSecond = ";
    assertThat(LoginRate.shortage(configuration(key + 50), MACHINE)).isEqualTo(Optional.empty());
    assertThat(LoginRate.shortage(configuration(key + 101), MACHINE))
        .contains(
            "first logins by ARGON2 take 20.0 ms, 50 a second on this machine, fewer than"
                + " password.expectedLoginsPerSecond = 101: see nyala password --tune");
    LoginRate.Gauge never =
        (_, _) -> {
          throw new IllegalStateException("nothing is expected");
        };
    assertThat(LoginRate.shortage(configuration(""), never)).isEmpty();
  }

  /** The gauge of a command measures in a process of its own. */
  @Test
  void shouldMeasureInAProcessLikeAServer() throws Exception {
    try (HashGauge gauge = HashGauge.start()) {
      NyalaConfig configuration = configuration("");
      LoginRate argon2 = LoginRate.of(configuration, gauge);
      LoginRate ssha = LoginRate.of(configuration, PasswordScheme.SSHA, gauge);
      assertThat(argon2.speed().nanos()).isGreaterThan(100 * ssha.speed().nanos());
      assertThat(gauge.memoryKibibytes()).isBetween(100 << 10, 128 << 10);
    }
  }
}
