package org.nyala.cli.running;

import java.lang.reflect.UndeclaredThrowableException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.management.bean.SyncMXBean;
import org.nyala.management.bean.SyncMXBean.Copy;
import org.nyala.management.bean.SyncMXBean.Switched;
import org.nyala.replica.SuffixNames;

/**
 * The planned change of roles between a provider and its copy, as one sequence of the steps that
 * {@code nyala sync follow} and {@code nyala promote} take, each of which is undone if it fails.
 *
 * <p>Confined to one thread. Blocks.
 */
public final class Handover {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** The result of a promotion, also of a server that does not answer. */
  public enum Promoted {
    /** It changes the naming context now. */
    yes,
    /** It was promoted, and does not run any more. */
    ended,
    /** It is a copy as before. */
    no,
    /** Nobody can tell. */
    unknown
  }

  private final SyncMXBean copy;
  private final SyncMXBean provider;
  private final String suffix;
  private final int waitSeconds;
  private final String by;
  private final Consumer<String> lines;
  private final Supplier<Promoted> left;

  /**
   * Prepares it.
   *
   * @param suffix the naming context, which is a copy at the one and promoted at the other
   * @param waitSeconds the time that each step may wait
   * @param by the user for whom it is done
   * @param lines receives each step
   * @param left says if the copy was promoted, after its server has stopped to answer
   */
  public Handover(
      SyncMXBean copy,
      SyncMXBean provider,
      String suffix,
      int waitSeconds,
      String by,
      Consumer<String> lines,
      Supplier<Promoted> left) {
    this.copy = copy;
    this.provider = provider;
    this.suffix = suffix;
    this.waitSeconds = waitSeconds;
    this.by = by;
    this.lines = lines;
    this.left = left;
  }

  /**
   * Carries it out.
   *
   * @return false if the roles are as they were
   * @throws CommandException if they may not be: the message says what is to be done
   */
  public boolean run() throws InterruptedException {
    requireReady();
    lines.accept("1. the provider stops taking changes, once the copy has them all");
    if (!isStopped()) {
      return false;
    }
    lines.accept("2. the copy is promoted");
    Promoted promoted = promote();
    if (promoted == Promoted.no) {
      takeBack();
      return false;
    }
    lines.accept("3. the former provider follows");
    if (!follows(provider)) {
      throw CommandException.failed(
          suffix
              + (promoted == Promoted.ended
                  ? " is changed by this server now, which has ended: start it, and its former"
                      + " provider follows"
                  : " is changed by this server now, and its former provider does not follow yet:"
                      + " see nyala sync status there"));
    }
    lines.accept("done: " + suffix + " is changed by this server, and its former provider follows");
    return true;
  }

  private Copy at(SyncMXBean server) {
    return server.getCopies().stream()
        .filter(each -> SuffixNames.isSame(each.suffix(), suffix))
        .findFirst()
        .orElseThrow(
            () ->
                CommandException.failed(
                    "the provider has no replication of "
                        + suffix
                        + " in its configuration, so it could not follow: the manual, Handover,"
                        + " says how to prepare it"));
  }

  /** Requires, before anything is changed, that each server is in its role. */
  private void requireReady() throws InterruptedException {
    Copy here = at(copy);
    Copy there = at(provider);
    if (here.phase().equals("promoted")) {
      throw CommandException.failed(suffix + " is promoted here already");
    }
    if (!there.phase().equals("promoted")) {
      throw CommandException.failed(
          "the server at --jmx does not change " + suffix + ": it is a copy, too");
    }
    if (!follows(copy)) {
      throw CommandException.failed(
          "the copy does not follow its provider: see nyala sync status here");
    }
    lines.accept(suffix + ": from " + here.provider() + " to " + there.provider());
  }

  private boolean isStopped() {
    Switched stopped = at("provider", () -> provider.follow(suffix, false, waitSeconds, by));
    stopped.lines().forEach(this::detail);
    if (!stopped.done()) {
      lines.accept("undone: the provider takes changes as before");
    }
    return stopped.done();
  }

  private Promoted promote() {
    try {
      Switched promoted = copy.promote(suffix, false, false, waitSeconds, by);
      promoted.lines().forEach(this::detail);
      return promoted.done() ? Promoted.yes : Promoted.no;
    } catch (UndeclaredThrowableException e) {
      detail("this server does not answer: " + ErrorMessages.line(e.getUndeclaredThrowable()));
      Promoted found = left.get();
      return switch (found) {
        case yes, ended -> {
          detail("it was promoted before it ended");
          yield Promoted.ended;
        }
        case no -> found;
        case unknown ->
            throw CommandException.failed(
                "it is not known whether "
                    + suffix
                    + " was promoted here: start this server; if its nyala sync status does not"
                    + " show the phase promoted, run nyala promote --force at the provider");
      };
    }
  }

  /** Has the provider take changes again; the copy was not promoted, and follows it as before. */
  private void takeBack() throws InterruptedException {
    lines.accept("undoing: the provider is promoted again");
    Switched again =
        at("provider", () -> provider.promote(suffix, false, false, Math.min(5, waitSeconds), by));
    if (!again.done()) {
      // It can wait for a copy that is gone in vain; that has not become the writer.
      again = at("provider", () -> provider.promote(suffix, true, false, 0, by));
    }
    again.lines().forEach(this::detail);
    if (!again.done()) {
      throw CommandException.failed(
          "nobody takes changes of " + suffix + ": nyala promote at the provider");
    }
    lines.accept("undone: the provider takes changes again");
    try {
      if (!follows(copy)) {
        throw CommandException.failed("the copy does not follow again: see nyala sync status");
      }
    } catch (UndeclaredThrowableException _) {
      detail("this server is not running: its copy follows once it is started");
    }
  }

  /** Waits until a server follows the other one. */
  private boolean follows(SyncMXBean server) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(waitSeconds);
    while (!at(server).phase().equals("following")) {
      if (System.nanoTime() > end) {
        return false;
      }
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    return true;
  }

  private void detail(String line) {
    lines.accept("   " + line);
  }

  private static Switched at(String server, Supplier<Switched> request) {
    try {
      return request.get();
    } catch (UndeclaredThrowableException e) {
      throw CommandException.failed(
          "the "
              + server
              + " does not answer: "
              + ErrorMessages.line(e.getUndeclaredThrowable())
              + "; see nyala sync status there: if it is a copy now, nyala promote there or here");
    }
  }
}
