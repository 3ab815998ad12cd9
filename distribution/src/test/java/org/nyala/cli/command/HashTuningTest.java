package org.nyala.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.core.password.HashBounds;
import org.nyala.core.password.HashCost;
import org.nyala.core.password.HashSpeed;
import org.nyala.core.password.PasswordScheme;
import org.nyala.server.LoginRate;

/** Tests proposals for a machine whose hashes take what the test says. */
class HashTuningTest {
  private static final long MILLI_NANOS = 1_000_000;

  /** A machine that takes a microsecond for a KiB and pass, and 25 % more in larger memory. */
  private static final LoginRate.Gauge MACHINE =
      (scheme, cost) ->
          new HashSpeed(
              switch (scheme) {
                case ARGON2 ->
                    (cost.argon2Kibibytes() > 8192 ? 1250L : 1000L)
                        * cost.argon2Kibibytes()
                        * cost.argon2Passes();
                case BCRYPT -> 40_000L << cost.bcryptCost();
                case CRYPT -> 2_000L * cost.cryptRounds();
                case SCRAM_SHA256, SCRAM_SHA512 -> 600L * cost.scramIterations();
                default -> 500L * cost.pbkdf2Iterations();
              });

  private static HashTuning tuning(long millis) {
    return new HashTuning(MACHINE, millis * MILLI_NANOS, 2, 128 << 10);
  }

  @ParameterizedTest
  @CsvSource({"30", "50", "100", "240"})
  void shouldUseTheTimeThatThereIs(long millis) {
    Set<PasswordScheme> doubling = EnumSet.of(PasswordScheme.BCRYPT);
    for (PasswordScheme scheme : HashTuning.SCHEMES) {
      HashTuning.Proposal proposal = tuning(millis).propose(scheme);
      assertThat(proposal.isWithin(millis * MILLI_NANOS)).as("%s", proposal).isTrue();
      assertThat(proposal.speed().nanos())
          .as("%s", proposal)
          .isGreaterThan(millis * MILLI_NANOS * (doubling.contains(scheme) ? 50 : 80) / 100);
      assertThat(proposal.cost().excess(scheme, HashBounds.DEFAULT)).isNull();
    }
  }

  @Test
  void shouldNotExceedMemoryAndBounds() {
    HashCost cost = tuning(1000).propose(PasswordScheme.ARGON2).cost();
    assertThat(cost.argon2Kibibytes()).isBetween(60 << 10, 64 << 10);
    assertThat(cost.argon2Passes()).isEqualTo(12);
    HashTuning small = new HashTuning(MACHINE, 100 * MILLI_NANOS, 4, 40 << 10);
    assertThat(small.propose(PasswordScheme.ARGON2).cost().argon2Kibibytes())
        .isBetween(9 << 10, 10 << 10);
    assertThat(tuning(60_000).propose(PasswordScheme.BCRYPT).cost().bcryptCost())
        .isEqualTo(HashBounds.DEFAULT.bcryptCost());
  }

  @Test
  void shouldSayIfTheLeastWorkTakesTooLong() {
    HashTuning.Proposal proposal = tuning(1).propose(PasswordScheme.PBKDF2_SHA512);
    assertThat(proposal.cost().pbkdf2Iterations()).isEqualTo(10_000);
    assertThat(proposal.isWithin(MILLI_NANOS)).isFalse();
    assertThat(tuning(1).lines())
        .anyMatch(line -> line.contains("the least work takes longer than the goal"))
        .anyMatch(line -> line.contains("less work than by default"));
  }
}
