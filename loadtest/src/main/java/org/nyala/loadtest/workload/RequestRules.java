package org.nyala.loadtest.workload;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.nyala.loadtest.ldap.RequestControls;

/**
 * The ways in which requests are sent, beside what they ask for. Each is one row of {@link #texts},
 * by which tests are compared. Immutable.
 *
 * @param controls the controls of every request of a job, but for those of the set-up
 * @param resumesTls true if {@code tls-handshake} resumes sessions; it begins anew otherwise
 * @param bindsAsPerson true if {@code password-modify} binds as the person before each change
 * @param referralHops the most servers that a request is referred to one after the other; 0: none
 */
public record RequestRules(
    RequestControls controls, boolean resumesTls, boolean bindsAsPerson, int referralHops) {
  private static final int MOST_HOPS = 100;

  /** Requests without controls, and handshakes from the beginning. */
  public static final RequestRules NONE = new RequestRules(RequestControls.NONE, false, false, 0);

  public RequestRules {
    LoadSettings.require(
        referralHops >= 0 && referralHops <= MOST_HOPS,
        "--follow-referrals",
        "from 0 to " + MOST_HOPS,
        referralHops);
  }

  /** The rules that are not those of {@link #NONE}, by the names of their options. */
  public Map<String, String> texts() {
    Map<String, String> texts = new LinkedHashMap<>();
    put(texts, "controls", String.join(" ", controls.texts()));
    put(texts, "resume", resumesTls ? "true" : "");
    put(texts, "as-person", bindsAsPerson ? "true" : "");
    put(texts, "follow-referrals", referralHops == 0 ? "" : Integer.toString(referralHops));
    return texts;
  }

  private static void put(Map<String, String> texts, String name, String text) {
    if (!text.isEmpty()) {
      texts.put(name, text);
    }
  }

  /** The rules that go with one kind of operations. */
  RequestRules alone(JobKind kind) {
    return new RequestRules(
        controls,
        resumesTls && kind == JobKind.TLS_HANDSHAKE,
        bindsAsPerson && kind == JobKind.PASSWORD_MODIFY,
        referralHops);
  }

  /**
   * Checks that the rules go with a job.
   *
   * @throws IllegalArgumentException if one does not
   */
  void check(JobKind job, List<JobKind> kinds, Security security) {
    boolean isHandshake = job == JobKind.TLS_HANDSHAKE;
    LoadSettings.requireFor(!resumesTls || isHandshake, "--resume", job);
    LoadSettings.requireFor(
        !bindsAsPerson || kinds.contains(JobKind.PASSWORD_MODIFY), "--as-person", job);
    if (isHandshake && security.kind() == Security.Kind.NONE) {
      throw new IllegalArgumentException("the job tls-handshake needs ldaps:// or --start-tls");
    }
  }
}
