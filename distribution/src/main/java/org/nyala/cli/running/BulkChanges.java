package org.nyala.cli.running;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.DeleteRequest;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.UpdatableLDAPRequest;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.nyala.cli.command.ProgressLine;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;

/**
 * Changes of many entries over one connection: entries are found in pages (RFC 2696), and the
 * changes of a page are sent some at a time, so that the server stores them together.
 *
 * <p>Confined to one thread. Blocks.
 */
final class BulkChanges {
  /** The changes that are under way at once: as many as a server carries out by default. */
  private static final int AT_ONCE = 32;

  private static final int MOST_SHOWN = 20;
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final LDAPConnection connection;
  private final Bounds bounds;
  private final ProgressLine progress;
  private final PrintWriter err;
  private final long beganNanos = System.nanoTime();
  private long nextNanos = beganNanos;
  private long found;
  private long done;
  private long gone;
  private long failed;
  private List<String> held = new ArrayList<>();

  /**
   * The bounds of the load.
   *
   * <p>Immutable.
   *
   * @param page the entries of a page
   * @param rate the most changes in a second; 0 for no bound
   * @param busySeconds the time for which the server may be busy before it is given up
   * @param failures the changes that may fail before the rest is given up
   * @param idleSeconds the time that a search may take; 0 for no bound
   */
  record Bounds(int page, int rate, int busySeconds, int failures, int idleSeconds) {}

  BulkChanges(LDAPConnection connection, Bounds bounds, ProgressLine progress, PrintWriter err) {
    this.connection = connection;
    this.bounds = bounds;
    this.progress = progress;
    this.err = err;
  }

  /** Returns the entries that were found, each as often as it was. */
  long found() {
    return found;
  }

  /** Returns the changes that the server has carried out. */
  long done() {
    return done;
  }

  /** Returns the entries that somebody else has deleted meanwhile. */
  long gone() {
    return gone;
  }

  /** Returns the changes that the server has refused, without those of entries with children. */
  long failed() {
    return failed;
  }

  /** Returns the names of entries that were not deleted since the last call: they have children. */
  List<String> takeHeld() {
    List<String> taken = held;
    held = new ArrayList<>();
    return taken;
  }

  /** Returns whether there are such names. */
  boolean hasHeld() {
    return !held.isEmpty();
  }

  /** Puts names back that were taken. */
  void hold(List<String> names) {
    held.addAll(names);
  }

  /**
   * Goes once over the entries that a search finds.
   *
   * @param search its controls are added to
   * @param changes returns the changes of the entries of a page
   * @throws LDAPException if the search fails, or the connection ends
   * @throws CommandException if too much fails
   */
  void pass(
      SearchRequest search,
      Function<List<SearchResultEntry>, List<? extends UpdatableLDAPRequest>> changes)
      throws LDAPException {
    Control[] given = search.getControls();
    ASN1OctetString cookie = null;
    do {
      List<Control> controls = new ArrayList<>(List.of(given));
      controls.add(new SimplePagedResultsControl(bounds.page(), cookie, true));
      controls.add(new ManageDsaITRequestControl(false));
      search.setControls(controls);
      search.setResponseTimeoutMillis(TimeUnit.SECONDS.toMillis(bounds.idleSeconds()));
      SearchResult page = page(search);
      found += page.getEntryCount();
      send(changes.apply(page.getSearchEntries()));
      SimplePagedResultsControl next = SimplePagedResultsControl.get(page);
      cookie = next == null || !next.moreResultsToReturn() ? null : next.getCookie();
    } while (cookie != null);
  }

  private SearchResult page(SearchRequest search) throws LDAPException {
    Pause pause = new Pause();
    while (true) {
      try {
        return connection.search(search);
      } catch (LDAPException e) {
        if (!e.getResultCode().equals(ResultCode.BUSY)) {
          throw e;
        }
        pause.take();
      }
    }
  }

  /** The pauses after answers that the server is busy: each is twice as long as the one before. */
  private final class Pause {
    private final long beganNanos = System.nanoTime();
    private long nanos = FIRST_PAUSE_NANOS;

    void take() {
      if (System.nanoTime() - beganNanos > TimeUnit.SECONDS.toNanos(bounds.busySeconds())) {
        throw stopped("the server was busy for " + bounds.busySeconds() + " seconds");
      }
      LockSupport.parkNanos(nanos);
      nanos = Math.min(LONGEST_PAUSE_NANOS, 2 * nanos);
    }
  }

  /** Sends changes, and again those for which the server was busy. */
  private void send(List<? extends UpdatableLDAPRequest> requests) throws LDAPException {
    for (int from = 0; from < requests.size(); from += AT_ONCE) {
      Pause pause = new Pause();
      List<? extends UpdatableLDAPRequest> left =
          requests.subList(from, Math.min(requests.size(), from + AT_ONCE));
      while (true) {
        left = sendOnce(left);
        if (left.isEmpty()) {
          break;
        }
        pause.take();
      }
      progress.show(this::text, System.nanoTime() - beganNanos);
    }
  }

  /** Sends changes; returns those for which the server was busy. */
  private List<UpdatableLDAPRequest> sendOnce(List<? extends UpdatableLDAPRequest> requests)
      throws LDAPException {
    List<AsyncRequestID> sent = new ArrayList<>();
    for (UpdatableLDAPRequest each : requests) {
      awaitRate();
      sent.add(
          each instanceof DeleteRequest delete
              ? connection.asyncDelete(delete, null)
              : connection.asyncModify((ModifyRequest) each, null));
    }
    List<UpdatableLDAPRequest> busy = new ArrayList<>();
    for (int i = 0; i < sent.size(); i++) {
      UpdatableLDAPRequest request = requests.get(i);
      LDAPResult result = await(sent.get(i));
      if (result.getResultCode().equals(ResultCode.BUSY)) {
        busy.add(request);
      } else {
        count(request, result);
      }
    }
    return busy;
  }

  private LDAPResult await(AsyncRequestID sent) throws LDAPException {
    try {
      LDAPResult result = sent.get();
      if (result.getResultCode().isClientSideResultCode()) {
        throw new LDAPException(result);
      }
      return result;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw stopped("interrupted");
    }
  }

  private void awaitRate() {
    if (bounds.rate() > 0) {
      long now = System.nanoTime();
      nextNanos = Math.max(now, nextNanos);
      while (now < nextNanos) {
        LockSupport.parkNanos(nextNanos - now);
        now = System.nanoTime();
      }
      nextNanos += TimeUnit.SECONDS.toNanos(1) / bounds.rate();
    }
  }

  private static String name(UpdatableLDAPRequest request) {
    return request instanceof DeleteRequest delete
        ? delete.getDN()
        : ((ModifyRequest) request).getDN();
  }

  private void count(UpdatableLDAPRequest request, LDAPResult result) {
    switch (result.getResultCode().intValue()) {
      case ResultCode.SUCCESS_INT_VALUE -> done++;
      case ResultCode.NO_SUCH_OBJECT_INT_VALUE -> gone++;
      case ResultCode.NOT_ALLOWED_ON_NONLEAF_INT_VALUE -> held.add(name(request));
      case ResultCode.REFERRAL_INT_VALUE ->
          throw stopped(
              "the server does not change these entries, but refers to "
                  + ErrorMessages.printable(String.join(" ", result.getReferralURLs())));
      default -> {
        failed++;
        if (failed <= MOST_SHOWN) {
          String why = result.getDiagnosticMessage();
          progress.finish();
          err.println(
              "nyala: "
                  + ErrorMessages.printable(
                      name(request)
                          + ": "
                          + result.getResultCode()
                          + (why == null ? "" : ", " + why)));
        }
        if (failed >= bounds.failures()) {
          throw stopped(failed + " changes have failed (--failures)");
        }
      }
    }
  }

  private CommandException stopped(String why) {
    progress.finish();
    return CommandException.failed(why + "; " + done + " entries are done, the rest is as it was");
  }

  private String text() {
    double seconds = (System.nanoTime() - beganNanos) / (double) TimeUnit.SECONDS.toNanos(1);
    return String.format(
        Locale.ROOT,
        "%,d entries found, %,d done, %,.0f/s%s",
        found,
        done,
        done / seconds,
        failed == 0 ? "" : String.format(Locale.ROOT, ", %,d failed", failed));
  }

  /** Ends the line of progress. */
  void finish() {
    progress.finish();
  }
}
