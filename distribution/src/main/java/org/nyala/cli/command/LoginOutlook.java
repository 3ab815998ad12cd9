package org.nyala.cli.command;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.nyala.config.NyalaConfig;
import org.nyala.core.password.HashCost;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.error.ErrorMessages;
import org.nyala.server.LoginRate;

/**
 * The logins that imported passwords allow on this machine: as they are, and once they are stored
 * anew. Stateless.
 */
public final class LoginOutlook {
  /**
   * The passwords from which on there is something to say, and two seconds of measurement to spend:
   * a hundred users are through within seconds in any scheme.
   */
  private static final int FEWEST = 1000;

  private LoginOutlook() {}

  /**
   * Measures, and returns lines for a person; none for few passwords.
   *
   * @param passwords the number of stored passwords by their scheme
   */
  public static List<String> of(NyalaConfig configuration, Map<PasswordScheme, Long> passwords) {
    long all = passwords.values().stream().mapToLong(Long::longValue).sum();
    if (all < FEWEST) {
      return List.of();
    }
    try (HashGauge gauge = HashGauge.start()) {
      return lines(configuration, passwords, gauge);
    } catch (IOException | UncheckedIOException e) {
      return List.of("logins were not measured: " + ErrorMessages.line(e));
    }
  }

  static List<String> lines(
      NyalaConfig configuration, Map<PasswordScheme, Long> passwords, LoginRate.Gauge gauge) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "passwords: "
            + passwords.entrySet().stream()
                .map(each -> each.getValue() + " " + each.getKey().label())
                .collect(Collectors.joining(", ")));
    PasswordScheme wanted = configuration.updates().passwordScheme();
    HashCost cost = configuration.updates().hashBounds().ofNew();
    LoginRate after = LoginRate.of(configuration, gauge);
    PasswordHash asNew = PasswordHash.decoy(wanted, cost);
    boolean isUpgraded = false;
    for (PasswordScheme scheme : passwords.keySet()) {
      boolean isWeaker = PasswordHash.decoy(scheme).isWeakerThan(asNew);
      isUpgraded |= isWeaker;
      LoginRate now = scheme == wanted ? after : LoginRate.of(configuration, scheme, gauge);
      lines.add("logins by " + scheme.label() + " on this machine: " + now.text());
    }
    boolean upgrades = configuration.updates().upgradesAtBind();
    if (isUpgraded && upgrades) {
      lines.add(
          "weaker ones are stored anew by "
              + wanted.label()
              + " after a login (password.upgradeAtBind); first logins take "
              + after.text()
              + " from then on");
    }
    int seconds = configuration.updates().remembered().seconds();
    if (after.scheme().isSlow()) {
      lines.add(
          seconds == 0
              ? "every login computes a hash (password.rememberSeconds = 0)"
              : String.format(
                  Locale.ROOT,
                  "a login within %d s of the last with the same password computes none"
                      + " (password.rememberSeconds)",
                  seconds));
      lines.add(
          "settings that change it: dispatch.hashThreads, password.scheme and its work (nyala"
              + " password --tune), password.upgradeAtBind");
    }
    return lines;
  }
}
