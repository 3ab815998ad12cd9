package org.nyala.loadtest.cli;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nyala.loadtest.engine.LoadRun;
import org.nyala.loadtest.report.ErrorText;
import org.nyala.loadtest.report.TestOutput;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;

/**
 * One login of each person before the load: a server that remembers logins computes the hash at the
 * first one only, and a load of both would measure neither. Stateless.
 */
final class FirstLogins {
  /** The fact of a report that names how the server stores passwords. */
  static final String SCHEME = "password scheme";

  private static final String NOT_READABLE = "not readable";
  private static final Pattern SCHEME_OF_VALUE = Pattern.compile("\\{[A-Za-z0-9/._-]{1,64}}.*");
  private static final Pattern CRYPT =
      Pattern.compile("(?i)(\\{CRYPT})(\\$[A-Za-z0-9-]{1,16}\\$).*");

  private FirstLogins() {}

  /**
   * Logs people in, if jobs do so and the server may not remember all of them yet.
   *
   * @param seconds the longest time; 0 for no logins
   * @return true if all of these logins succeeded
   * @throws LoadTestException if the server cannot be reached, or too many passwords are wrong
   */
  static boolean before(List<LoadSettings> parts, double seconds, TestOutput output)
      throws LoadTestException, InterruptedException {
    boolean isRight = true;
    for (LoadSettings part : parts) {
      Optional<JobKind> kind = part.loginKinds().stream().findFirst();
      // Binds by SCRAM compute hashes at each login, by the scheme of the mechanism.
      if (kind.isEmpty() || part.options().login().isScram()) {
        continue;
      }
      output.fact(SCHEME, scheme(part));
      if (seconds > 0) {
        LoadReport report = LoadRun.run(part.firstLogins(kind.get(), seconds));
        String line =
            String.format(
                Locale.ROOT,
                "%,d of %,d people, in %.1f s%s",
                part.people().logins().rightCount(),
                part.people().users(),
                report.seconds(),
                report.errorCount() == 0 ? "" : "; failed: " + ErrorText.of(report.errors()));
        isRight &= report.errorCount() == 0;
        output.fact("logged in before the load", line);
        output.progress("logged in before the load: " + line);
      }
    }
    return isRight;
  }

  /** Returns how the server stores the password of the first person, as far as it shows that. */
  private static String scheme(LoadSettings part) throws InterruptedException {
    String dn = part.dnOf(0);
    Map<String, List<byte[]>> entry = LoadRun.read(part, dn, "userPassword");
    List<byte[]> values = entry.getOrDefault("userpassword", List.of());
    return values.isEmpty()
        ? NOT_READABLE
        : label(new String(values.getFirst(), StandardCharsets.ISO_8859_1)) + " (of " + dn + ")";
  }

  /** Returns the scheme of a stored value: never anything of the password or its hash. */
  static String label(String stored) {
    Matcher crypt = CRYPT.matcher(stored);
    if (crypt.matches()) {
      return crypt.group(1) + crypt.group(2);
    }
    return SCHEME_OF_VALUE.matcher(stored).matches()
        ? stored.substring(0, stored.indexOf('}') + 1)
        : "clear text";
  }
}
