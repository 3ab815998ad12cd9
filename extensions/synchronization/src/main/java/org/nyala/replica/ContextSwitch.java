package org.nyala.replica;

import static org.nyala.replica.ProviderState.text;

import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.Epoch;
import org.nyala.core.backend.Promotion;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.replica.ContextHandover;
import org.nyala.core.replica.ReplicaPhase;
import org.nyala.error.ErrorMessages;

/**
 * The switch by which a copy becomes a naming context that this server changes ({@code nyala
 * promote}), and a copy again ({@code nyala sync follow}), with the checks before it.
 *
 * <p>Thread-safe: one switch at a time, others are refused meanwhile. Blocks.
 */
public final class ContextSwitch {
  private static final System.Logger LOG = System.getLogger(ContextSwitch.class.getName());

  /** The time between two questions to the provider, each of which takes a connection. */
  private static final long POLL_MILLIS = 1000;

  private static final String UNASKED = "the provider cannot be asked for its contextCSN: ";

  private final ReplicaRunner runner;
  private final ReplicationSettings settings;
  private final String suffix;
  private final ContextHandover handover;
  private final Predicate<ProviderUrl> isHere;
  private final ReentrantLock lock = new ReentrantLock();

  /**
   * The result of a request to switch.
   *
   * <p>Immutable.
   *
   * @param isDone true if it is as requested, or could be in a trial
   * @param hasActed true if clients have been answered otherwise because of it, if only for a while
   * @param lines the checks and the result, for an administrator
   */
  public record Report(boolean isDone, boolean hasActed, List<String> lines) {
    public Report {
      lines = List.copyOf(lines);
    }
  }

  /** The findings before a switch: the lines to show, and the reasons against it. */
  private static final class Findings {
    private final List<String> lines = new ArrayList<>();
    private final List<String> reasons = new ArrayList<>();
    private @Nullable ProviderState provider;

    /** True if the server that accepts changes was asked, and does: nobody can force that. */
    private boolean isOpen;

    /** True if nothing gets better by itself. */
    private boolean isHopeless;

    /** The advice after the reasons; empty for none. */
    private String hint = "";

    void show(String label, Object text) {
      lines.add(String.format(Locale.ROOT, "%-12s%s", label, text));
    }

    Report refused(String what, boolean hasActed) {
      List<String> all = new ArrayList<>(lines);
      reasons.forEach(each -> all.add(what + each));
      if (!hint.isEmpty()) {
        all.add(hint);
      }
      return new Report(false, hasActed, all);
    }

    void force() {
      reasons.forEach(each -> lines.add("forced although " + each));
    }
  }

  /**
   * Prepares it.
   *
   * @param runner keeps the copy up to date
   * @param handover takes the steps in the store
   * @param isHere whether an address is one of this server
   */
  public ContextSwitch(
      ReplicaRunner runner,
      ReplicationSettings settings,
      String suffix,
      ContextHandover handover,
      Predicate<ProviderUrl> isHere) {
    this.isHere = isHere;
    this.runner = runner;
    this.settings = settings;
    this.suffix = suffix;
    this.handover = handover;
  }

  /** Returns whether this server changes the naming context. */
  public boolean isPromoted() {
    Promotion promotion = handover.promotion();
    return promotion != null && promotion.isInForce();
  }

  public ReplicationStatus status() {
    return isPromoted() ? runner.status().promoted(handover.present()) : runner.status();
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
  public Report promote(boolean isForced, boolean isTrial, int waitSeconds)
      throws InterruptedException {
    return alone(() -> promoteAlone(isForced, isTrial, waitSeconds));
  }

  /** A request to switch. */
  @FunctionalInterface
  private interface Request {
    Report run() throws InterruptedException;
  }

  private Report alone(Request request) throws InterruptedException {
    if (handover.isElsewhere()) {
      return new Report(
          false,
          false,
          List.of(
              "another member of the cluster leads, or none does: run it at the one that leads"
                  + " (nyala cluster status)"));
    }
    if (!lock.tryLock()) {
      return new Report(
          false,
          false,
          List.of("another request to promote or follow " + suffix + " is under way"));
    }
    try {
      return request.run();
    } finally {
      lock.unlock();
    }
  }

  private Report promoteAlone(boolean isForced, boolean isTrial, int waitSeconds)
      throws InterruptedException {
    Promotion before = handover.promotion();
    if (before != null && before.isInForce()) {
      return handover.epochs().isSuperseded()
          ? raise(handover, suffix, isForced, isTrial)
          : new Report(
              true,
              false,
              List.of(suffix + " was promoted on " + before.time() + ": nothing to do"));
    }
    String refused = isTrial ? "would not be promoted: " : "not promoted: ";
    String own = ownNumber(handover, before);
    Findings found = awaitReady(own == null ? waitSeconds : 0);
    if (own != null) {
      found.reasons.add(own);
      return found.refused(refused, false);
    }
    if (!found.reasons.isEmpty() && (!isForced || found.isOpen)) {
      if (found.provider == null && !found.isHopeless) {
        found.hint =
            "if the provider is lost for good: nyala promote --force --suffix \""
                + suffix
                + "\" lets this server change it; what has not arrived here is lost";
      }
      return found.refused(refused, false);
    }
    found.force();
    if (isTrial) {
      found.lines.add(suffix + " can be promoted");
      return new Report(true, false, found.lines);
    }
    return promote(found, isForced);
  }

  /**
   * Lets this server change a naming context that it copies from nobody: another server was
   * promoted to change it, or it is the part of a copy that a refresh has left.
   *
   * @param suffix the naming context, which is no copy
   */
  public static Report raise(
      ContextHandover handover, String suffix, boolean isForced, boolean isTrial) {
    Findings found = new Findings();
    found.show("suffix", suffix);
    ContextEpochs epochs = handover.epochs();
    found.lines.add(epochLine(epochs));
    String refused = isTrial ? "would not be promoted: " : "not promoted: ";
    String provider = handover.unfinished();
    if (provider == null && !epochs.isSuperseded()) {
      return new Report(
          true, false, List.of(suffix + " is changed by this server already: nothing to do"));
    }
    String own =
        provider != null || handover.isReadOnly()
            ? ownNumber(handover, handover.promotion())
            : null;
    if (own != null) {
      found.reasons.add(own);
      return found.refused(refused, false);
    }
    if (epochs.isSuperseded()) {
      found.reasons.add(other(epochs));
    }
    if (provider != null) {
      found.reasons.add(unfinished(provider));
    }
    if (!isForced) {
      return found.refused(refused, false);
    }
    found.force();
    if (isTrial) {
      found.lines.add(suffix + " can be promoted");
      return new Report(true, false, found.lines);
    }
    try {
      if (provider == null) {
        handover.raise();
      } else {
        Promotion _ = handover.promote(null, false, provider);
      }
    } catch (LdapOperationException e) {
      found.lines.add(refused + e.getMessage());
      return new Report(false, false, found.lines);
    }
    found.lines.add(suffix + " is promoted: this server changes it from now on");
    return new Report(true, true, found.lines);
  }

  private static String unfinished(String provider) {
    return "a refresh from "
        + provider
        + " has begun and not ended: entries are missing, or here that were deleted there";
  }

  private static String epochLine(ContextEpochs epochs) {
    return "epoch       " + epochs.ours().number();
  }

  private static String other(ContextEpochs epochs) {
    Epoch heard = epochs.heard();
    return "server "
        + heard.serverId()
        + " was promoted in epoch "
        + heard.number()
        + ", and what it has changed is not here";
  }

  private Findings awaitReady(int waitSeconds) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(waitSeconds);
    Findings found = check();
    while (isToAwait(found, end)) {
      found = check();
    }
    return found;
  }

  /** Waits for the next look; returns false if there is to be none. */
  private boolean isToAwait(Findings found, long end) throws InterruptedException {
    long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
    if (found.reasons.isEmpty() || found.isHopeless || left <= 0) {
      return false;
    }
    runner.awaitNews(Math.min(POLL_MILLIS, left));
    return true;
  }

  private Findings check() {
    Findings found = new Findings();
    ReplicaPhase phase = runner.status().progress().phase();
    found.show("suffix", suffix);
    found.show("provider", provider());
    found.show("phase", phase.name().toLowerCase(Locale.ROOT));
    found.show("serverId", handover.serverId());
    ContextEpochs epochs = handover.epochs();
    found.lines.add(epochLine(epochs));
    if (epochs.isSuperseded()) {
      found.reasons.add(other(epochs));
    }
    if (phase != ReplicaPhase.FOLLOWING) {
      found.reasons.add("the copy does not follow its provider");
    }
    String from = handover.unfinished();
    if (from != null) {
      found.reasons.add(unfinished(from));
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
      look(found, state, here);
    }
    warnOfClock(found, here);
    return found;
  }

  /**
   * Looks at the server that changes are referred to: it must have ended them, and have no more.
   */
  private void look(Findings found, ProviderState provider, CsnVector here) {
    CurrentWriter writer = CurrentWriter.find(settings.provider(), provider, suffix, isHere);
    ProviderState state = writer.state();
    if (state == null) {
      found.show("writer", writer.url());
      found.reasons.add(
          "the server to which changes are referred cannot be asked: " + writer.why());
      return;
    }
    if (state == provider) {
      found.isOpen = state.acceptsChanges();
      if (found.isOpen) {
        found.reasons.add(
            "the provider still accepts changes, which would be lost: stop them there first, as"
                + " `nyala read-only on` does, or use `nyala handover`");
      }
      return;
    }
    found.show("writer", writer.url());
    found.show("", text(state.csns()) + " there");
    found.isOpen = state.acceptsChanges();
    if (found.isOpen) {
      found.reasons.add(
          writer.url()
              + ", to which changes are referred, still accepts them: there would be two servers"
              + " that do");
    }
    if (!state.isEqualTo(here)) {
      found.reasons.add(
          "the copy is not equal to "
              + writer.url()
              + ", to which changes are referred: contextCSN is "
              + text(here)
              + " here and "
              + text(state.csns())
              + " there");
    }
  }

  private @Nullable ProviderState read(Findings found) {
    try {
      found.provider = ProviderState.read(settings.provider(), suffix);
    } catch (LDAPException e) {
      found.isHopeless = e.getResultCode().equals(ResultCode.INVALID_CREDENTIALS);
      found.reasons.add(UNASKED + ProviderAnswers.sentence(e, suffix));
    } catch (IOException e) {
      found.reasons.add(UNASKED + ErrorMessages.printable(ErrorMessages.line(e)));
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
  private static @Nullable String ownNumber(ContextHandover handover, @Nullable Promotion before) {
    int own = handover.serverId();
    if (handover.isReadOnly()) {
      return "this server changes nothing (readOnly)";
    }
    if (own == 0) {
      return "serverId is 0, the number of servers without one: set another one in the"
          + " configuration and restart";
    }
    boolean wasOurs = before != null && before.serverId() == own;
    return wasOurs || handover.present().of(own) == null
        ? null
        : "another server has made changes with the number "
            + own
            + ": set another serverId in the configuration and restart";
  }

  private Report promote(Findings found, boolean isForced) throws InterruptedException {
    boolean isDone = false;
    try {
      boolean isWhole = runner.suspend();
      CsnVector present = handover.present();
      ProviderState state = found.provider;
      if (!isForced && (state == null || !state.isEqualTo(present))) {
        found.reasons.add("the copy has changed meanwhile, to " + text(present) + ": try again");
        return found.refused("not promoted: ", false);
      }
      Promotion promotion = handover.promote(isForced ? null : present, isWhole, provider());
      isDone = true;
      runner.tell();
      String epoch = Integer.toString(handover.epochs().ours().number());
      LOG.log(
          System.Logger.Level.INFO,
          "{0} was promoted: this server changes it, as number {1} in epoch {2}, and copies it no"
              + " longer from {3}",
          suffix,
          Integer.toString(promotion.serverId()),
          epoch,
          provider());
      found.show("epoch", epoch);
      found.lines.add(suffix + " is promoted: this server changes it from now on");
      return new Report(true, true, found.lines);
    } catch (LdapOperationException e) {
      found.reasons.add(String.valueOf(e.getMessage()));
      return found.refused("not promoted: ", false);
    } finally {
      if (!isDone) {
        runner.resume();
      }
    }
  }

  /**
   * Makes the naming context a copy again. Requests to change it are answered as busy as soon as
   * the provider can be asked; if that does not get all changes of this server in time, they are
   * accepted again, else referred to it.
   *
   * @param isForced true to do it although the provider may lack changes
   * @param waitSeconds the time to wait for the provider to answer, and to have everything
   */
  public Report follow(boolean isForced, int waitSeconds) throws InterruptedException {
    return alone(() -> followAlone(isForced, waitSeconds));
  }

  private Report followAlone(boolean isForced, int waitSeconds) throws InterruptedException {
    Promotion promotion = handover.promotion();
    if (promotion == null || !promotion.isInForce()) {
      return new Report(
          true, false, List.of(suffix + " is a copy of " + provider() + ": nothing to do"));
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(waitSeconds);
    // As long as changes are accepted: a provider that cannot be asked will not get them.
    Findings before = new Findings();
    while (read(before) == null && !isForced) {
      if (!isToAwait(before, end)) {
        return before.refused("not a copy: ", false);
      }
      before = new Findings();
    }
    return close(promotion, isForced, end);
  }

  private Report close(Promotion promotion, boolean isForced, long end)
      throws InterruptedException {
    boolean isDone = false;
    boolean isClosed = false;
    try {
      handover.close();
      isClosed = true;
      Findings found = awaitProvider(promotion, end);
      if (!found.reasons.isEmpty() && !isForced) {
        return found.refused("not a copy: ", true);
      }
      handover.follow(
          promotion, settings.refersWrites() ? List.of(settings.referralUrl()) : List.of());
      isDone = true;
      found.force();
      found.lines.add(suffix + " is a copy of " + provider() + " again");
      LOG.log(System.Logger.Level.INFO, "{0} is a copy of {1} again", suffix, provider());
      if (found.reasons.isEmpty()) {
        runner.resume();
      } else {
        found.lines.add("what the provider lacks is lost: everything is read from it again");
        runner.resumeFromNothing();
      }
      return new Report(true, true, found.lines);
    } catch (LdapOperationException e) {
      return new Report(false, isClosed, List.of("not a copy: " + e.getMessage()));
    } finally {
      if (!isDone) {
        handover.reopen();
      }
    }
  }

  private Findings awaitProvider(Promotion promotion, long end) throws InterruptedException {
    Findings found = checkProvider(promotion);
    while (isToAwait(found, end)) {
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
      if (!state.hasAll(
          here, each -> each.serverId() == handover.serverId() || promotion.covers(each))) {
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
