package org.nyala.replica;

import static org.nyala.replica.ProviderState.text;

import com.unboundid.ldap.sdk.LDAPException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.Promotion;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.replica.ContextHandover;
import org.nyala.core.replica.ReplicaPhase;

/**
 * The switch by which a copy becomes a naming context that this server changes ({@code nyala
 * promote}), and a copy again ({@code nyala sync follow}), with the checks before it.
 *
 * <p>Thread-safe: one switch at a time. Blocks.
 */
public final class ContextSwitch {
  private static final System.Logger LOG = System.getLogger(ContextSwitch.class.getName());
  private static final long POLL_MILLIS = 100;

  private final ReplicaRunner runner;
  private final ReplicationSettings settings;
  private final String suffix;
  private final ContextHandover handover;

  /**
   * The result of a request to switch.
   *
   * <p>Immutable.
   *
   * @param isDone true if it is as requested, or could be in a trial
   * @param lines the checks and the result, for an administrator
   */
  public record Report(boolean isDone, List<String> lines) {
    /** Copies the list. */
    public Report {
      lines = List.copyOf(lines);
    }
  }

  /** What has been found before a switch: the lines to show, and the reasons against it. */
  private static final class Findings {
    private final List<String> lines = new ArrayList<>();
    private final List<String> reasons = new ArrayList<>();
    private @Nullable ProviderState provider;

    void show(String label, Object text) {
      lines.add(String.format("%-12s%s", label, text));
    }

    Report refused(String what) {
      List<String> all = new ArrayList<>(lines);
      reasons.forEach(each -> all.add(what + each));
      return new Report(false, all);
    }
  }

  /**
   * Prepares it.
   *
   * @param runner keeps the copy up to date
   * @param handover takes the steps in the store
   */
  public ContextSwitch(
      ReplicaRunner runner, ReplicationSettings settings, String suffix, ContextHandover handover) {
    this.runner = runner;
    this.settings = settings;
    this.suffix = suffix;
    this.handover = handover;
  }

  /** Returns the state. */
  public ReplicationStatus status() {
    Promotion promotion = handover.promotion();
    return promotion != null && promotion.isInForce()
        ? runner.status().promoted(handover.present())
        : runner.status();
  }

  private String provider() {
    return settings.provider().url().toString();
  }

  /**
   * Makes the naming context writable here.
   *
   * @param isForced true to do it although the copy may lack changes of the provider
   * @param isTrial true to check only
   * @param waitSeconds the time to wait for the copy to have everything
   */
  public synchronized Report promote(boolean isForced, boolean isTrial, int waitSeconds)
      throws InterruptedException {
    Promotion before = handover.promotion();
    if (before != null && before.isInForce()) {
      return new Report(
          true, List.of(suffix + " was promoted on " + before.time() + ": nothing to do"));
    }
    Findings found = awaitReady(waitSeconds);
    String own = ownNumber(before);
    if (own != null) {
      found.reasons.add(own);
      return found.refused("not promoted: ");
    }
    if (!found.reasons.isEmpty() && !isForced) {
      return found.refused(isTrial ? "would not be promoted: " : "not promoted: ");
    }
    if (isTrial) {
      found.lines.add(suffix + " can be promoted");
      return new Report(true, found.lines);
    }
    found.reasons.forEach(each -> found.lines.add("forced although " + each));
    return promote(found, isForced);
  }

  private Findings awaitReady(int waitSeconds) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(waitSeconds);
    Findings found = check();
    while (!found.reasons.isEmpty() && System.nanoTime() < end) {
      runner.awaitNews(POLL_MILLIS);
      found = check();
    }
    return found;
  }

  private Findings check() {
    Findings found = new Findings();
    ReplicaPhase phase = runner.status().progress().phase();
    found.show("suffix", suffix);
    found.show("provider", provider());
    found.show("phase", phase.name().toLowerCase(Locale.ROOT));
    found.show("serverId", handover.serverId());
    if (phase != ReplicaPhase.FOLLOWING) {
      found.reasons.add("the copy does not follow its provider");
    }
    ProviderState state = read(found);
    CsnVector here = handover.present();
    found.show("contextCSN", text(here) + " here");
    if (state != null) {
      found.show("", text(state.csns()) + " at the provider");
      if (!state.isEqualTo(here)) {
        found.reasons.add(
            "the copy is not equal to its provider: contextCSN is "
                + text(here)
                + " here and "
                + text(state.csns())
                + " there");
      }
      if (state.acceptsChanges()) {
        found.reasons.add("the provider still accepts changes, which would be lost");
      }
    }
    warnOfClock(found, here);
    return found;
  }

  private @Nullable ProviderState read(Findings found) {
    try {
      found.provider = ProviderState.read(settings.provider(), suffix);
    } catch (LDAPException | IOException e) {
      found.reasons.add("the provider cannot be asked for its contextCSN: " + e.getMessage());
    }
    return found.provider;
  }

  private void warnOfClock(Findings found, CsnVector here) {
    for (Csn each : here.csns()) {
      Duration ahead = Duration.between(handover.instant(), each.time());
      if (ahead.toSeconds() > 0) {
        found.show(
            "clock",
            "server "
                + each.serverId()
                + " is "
                + ahead.toSeconds()
                + " s ahead; changes here are numbered after its last one");
      }
    }
  }

  /** Returns why this server cannot number changes; null if it can. */
  private @Nullable String ownNumber(@Nullable Promotion before) {
    int own = handover.serverId();
    if (handover.isReadOnly()) {
      return "this server changes nothing (readOnly)";
    }
    if (own == 0) {
      return "serverId is 0, the number of servers without one: set another one in the configuration"
          + " and restart";
    }
    boolean wasOurs = before != null && before.serverId() == own;
    return wasOurs || handover.present().of(own) == null
        ? null
        : "another server has made changes with the number "
            + own
            + ": set another serverId in the configuration and restart";
  }

  private Report promote(Findings found, boolean isForced) throws InterruptedException {
    boolean isWhole = runner.suspend();
    boolean isDone = false;
    try {
      CsnVector present = handover.present();
      ProviderState state = found.provider;
      if (!isForced && (state == null || !state.isEqualTo(present))) {
        found.reasons.add("the copy has changed meanwhile, to " + text(present) + ": try again");
        return found.refused("not promoted: ");
      }
      Promotion promotion = handover.promote(isForced ? null : present, isWhole, provider());
      isDone = true;
      LOG.log(
          System.Logger.Level.INFO,
          "{0} was promoted: this server changes it, as number {1}, and copies it no longer from {2}",
          suffix,
          Integer.toString(promotion.serverId()),
          provider());
      found.lines.add(suffix + " is promoted: this server changes it from now on");
      return new Report(true, found.lines);
    } catch (LdapOperationException e) {
      found.reasons.add(String.valueOf(e.getMessage()));
      return found.refused("not promoted: ");
    } finally {
      if (!isDone) {
        runner.resume();
      }
    }
  }

  /**
   * Makes the naming context a copy again. Requests to change it are refused at once; if the
   * provider does not get all changes of this server in time, they are accepted again.
   *
   * @param isForced true to do it although the provider may lack changes
   * @param waitSeconds the time to wait for the provider to have everything
   */
  public synchronized Report follow(boolean isForced, int waitSeconds) throws InterruptedException {
    Promotion promotion = handover.promotion();
    if (promotion == null || !promotion.isInForce()) {
      return new Report(true, List.of(suffix + " is a copy of " + provider() + ": nothing to do"));
    }
    // As long as changes are accepted: a provider that cannot be asked will not get them.
    Findings before = new Findings();
    if (read(before) == null && !isForced) {
      return before.refused("not a copy: ");
    }
    return close(promotion, isForced, waitSeconds);
  }

  private Report close(Promotion promotion, boolean isForced, int waitSeconds)
      throws InterruptedException {
    boolean isDone = false;
    try {
      handover.close(settings.refersWrites() ? List.of(settings.referralUrl()) : List.of());
      Findings found = awaitProvider(promotion, waitSeconds);
      if (!found.reasons.isEmpty() && !isForced) {
        return found.refused("not a copy: ");
      }
      handover.follow(promotion);
      isDone = true;
      found.reasons.forEach(each -> found.lines.add("forced although " + each));
      found.lines.add(suffix + " is a copy of " + provider() + " again");
      LOG.log(System.Logger.Level.INFO, "{0} is a copy of {1} again", suffix, provider());
      runner.resume();
      return new Report(true, found.lines);
    } catch (LdapOperationException e) {
      return new Report(false, List.of("not a copy: " + e.getMessage()));
    } finally {
      if (!isDone) {
        handover.reopen();
      }
    }
  }

  private Findings awaitProvider(Promotion promotion, int waitSeconds) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(waitSeconds);
    Findings found = checkProvider(promotion);
    while (!found.reasons.isEmpty() && System.nanoTime() < end) {
      runner.awaitNews(POLL_MILLIS);
      found = checkProvider(promotion);
    }
    return found;
  }

  private Findings checkProvider(Promotion promotion) {
    Findings found = new Findings();
    CsnVector here = handover.present();
    found.show("suffix", suffix);
    found.show("provider", provider());
    ProviderState state = read(found);
    found.show("contextCSN", text(here) + " here");
    if (state != null) {
      found.show("", text(state.csns()) + " at the provider");
      if (!state.hasAll(here, promotion.serverId())) {
        found.reasons.add(
            "the provider lacks changes of this server: contextCSN is "
                + text(here)
                + " here and "
                + text(state.csns())
                + " there");
      }
    }
    return found;
  }
}
