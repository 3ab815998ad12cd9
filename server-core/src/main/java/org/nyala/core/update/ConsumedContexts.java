package org.nyala.core.update;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.backend.Epoch;
import org.nyala.core.backend.Promotion;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;

/**
 * The naming contexts that another server alone changes, because they are copies, or because that
 * server was promoted: requests to change them are refused, and the server itself changes nothing
 * there on its own.
 *
 * <p>Thread-safe. The writer asks once more before it carries a change out: if it adds a naming
 * context in a turn of its own, no later change is made.
 */
public final class ConsumedContexts {
  /** Each name with the result of requests to change entries there. */
  private volatile Map<Dn, LdapResult> refusals = Map.of();

  /** Those of copies. */
  private final Map<Dn, LdapResult> copied = new HashMap<>();

  /** Those of the naming contexts that are copies unless the store notes that they are promoted. */
  private final Map<Dn, LdapResult> configured = new HashMap<>();

  /** Those of naming contexts that are handed over. */
  private final Map<Dn, LdapResult> closed = new HashMap<>();

  /** Those of naming contexts that another member of a cluster changes. */
  private final Map<Dn, LdapResult> followed = new HashMap<>();

  /** Those of naming contexts for which another server was promoted. */
  private final Map<Dn, LdapResult> superseded = new HashMap<>();

  /** Those that nobody changes for a while, because an administrator says so. */
  private final Map<Dn, LdapResult> frozen = new HashMap<>();

  private volatile boolean isFrozen;

  /** The sources of the ages of copies. */
  private final Map<Dn, IntSupplier> lags = new ConcurrentHashMap<>();

  /**
   * Adds a naming context that another server changes.
   *
   * @param urls the URLs to which clients are referred; with none, their requests are refused
   */
  public synchronized void add(Dn suffix, List<String> urls) {
    closed.remove(suffix);
    put(suffix, refusal(suffix, urls));
  }

  private static LdapResult refusal(Dn suffix, List<String> urls) {
    return urls.isEmpty()
        ? LdapResult.of(
            ResultCode.UNWILLING_TO_PERFORM,
            "this server has a copy of " + suffix + ", which another server changes")
        : new LdapResult(ResultCode.REFERRAL, "", "", List.copyOf(urls));
  }

  /**
   * Names a naming context that is a copy by the configuration: whether it is one now {@link
   * #takeNotes} tells.
   *
   * @param urls the URLs to which clients are referred; with none, their requests are refused
   */
  public synchronized void configure(Dn suffix, List<String> urls) {
    configured.put(suffix, refusal(suffix, urls));
  }

  /**
   * Takes over what a store notes of its naming contexts: which ones were promoted, and which ones
   * another server was promoted for. To be called when notes are in the store that this server has
   * not made.
   */
  public void takeNotes(Backend backend) {
    try (ReadTransaction transaction = backend.beginRead()) {
      synchronized (this) {
        for (Dn suffix : backend.namingContexts()) {
          ContextEpochs epochs = transaction.epochs(suffix);
          if (epochs.isSuperseded()) {
            superseded.put(suffix, refusal(suffix, epochs.heard()));
          } else {
            superseded.remove(suffix);
          }
          Promotion promotion = transaction.promotion(suffix);
          LdapResult refusal = configured.get(suffix);
          if (refusal != null) {
            if (promotion != null && promotion.isInForce()) {
              copied.remove(suffix);
            } else {
              copied.put(suffix, refusal);
            }
          }
        }
        publish();
      }
    }
  }

  /**
   * Adds a naming context that another member of a cluster changes. That of a copy is not touched:
   * its provider changes it, whoever leads.
   *
   * @param refusal the result of requests to change entries there
   */
  public synchronized void follow(Dn suffix, LdapResult refusal) {
    followed.put(suffix, refusal);
    publish();
  }

  /** Lets this member of a cluster change a naming context, unless it is a copy. */
  public synchronized void lead(Dn suffix) {
    followed.remove(suffix);
    publish();
  }

  /**
   * Adds a naming context of which this server has a part: it was a copy, its refresh has not
   * ended, and no server is configured to end it.
   */
  public synchronized void addUnfinished(Dn suffix) {
    put(
        suffix,
        LdapResult.of(
            ResultCode.UNWILLING_TO_PERFORM,
            "this server has a part of "
                + suffix
                + ": it was a copy, and its refresh has not ended"));
  }

  /**
   * Adds a naming context that may be another server's soon, or is this one's again. Requests are
   * answered as busy, which nobody takes for the end of changes.
   */
  public synchronized void close(Dn suffix) {
    closed.put(
        suffix,
        LdapResult.of(ResultCode.BUSY, "the naming context is being handed over: try again"));
    publish();
  }

  /** Ends the time in which a naming context is closed: it is what it was before. */
  public synchronized void reopen(Dn suffix) {
    closed.remove(suffix);
    publish();
  }

  private synchronized void put(Dn suffix, LdapResult refusal) {
    copied.put(suffix, refusal);
    publish();
  }

  /** Removes a copy: it is changed here from now on, unless another server was promoted. */
  public synchronized void remove(Dn suffix) {
    copied.remove(suffix);
    publish();
  }

  /**
   * Ends the changes of a naming context because another server was promoted. A copy refers to its
   * provider as before.
   */
  public synchronized void supersede(Dn suffix, Epoch other) {
    superseded.put(suffix, refusal(suffix, other));
    publish();
  }

  private static LdapResult refusal(Dn suffix, Epoch other) {
    return LdapResult.of(
        ResultCode.UNWILLING_TO_PERFORM,
        "server "
            + other.serverId()
            + " was promoted to change "
            + suffix
            + ", in epoch "
            + other.number()
            + ": this server changes nothing there any more");
  }

  /** Lets a naming context be changed that was superseded, unless it is a copy. */
  public synchronized void restore(Dn suffix) {
    superseded.remove(suffix);
    publish();
  }

  /**
   * Ends the changes of a naming context until {@link #thaw}, but for those of a copy's provider.
   */
  public synchronized void freeze(Dn suffix) {
    frozen.put(
        suffix,
        LdapResult.of(
            ResultCode.UNWILLING_TO_PERFORM,
            "the directory is read-only: an administrator has switched it"));
    publish();
  }

  /** Lets a naming context be changed that was frozen, unless another server changes it. */
  public synchronized void thaw(Dn suffix) {
    frozen.remove(suffix);
    publish();
  }

  /** Returns whether a naming context is frozen. */
  public boolean isFrozen() {
    return isFrozen;
  }

  /**
   * Sets the source of the age of a copy.
   *
   * @param seconds returns the seconds since it was last known to have everything, 0 if this server
   *     changes it, -1 if it never was; quick, any thread
   */
  public void tellLag(Dn suffix, IntSupplier seconds) {
    lags.put(suffix, seconds);
  }

  /** Returns the seconds since a copy was last known to have everything, as above. */
  public int lagSeconds(Dn suffix) {
    IntSupplier seconds = lags.get(suffix);
    return seconds == null ? 0 : seconds.getAsInt();
  }

  private void publish() {
    isFrozen = !frozen.isEmpty();
    Map<Dn, LdapResult> all = new HashMap<>(followed);
    all.putAll(frozen);
    all.putAll(superseded);
    all.putAll(copied);
    all.putAll(closed);
    refusals = Map.copyOf(all);
  }

  /** Returns whether all entries are changed here. */
  public boolean isEmpty() {
    return refusals.isEmpty();
  }

  /** Returns whether another server changes the entry of a name. Hot. */
  public boolean holds(Dn name) {
    Map<Dn, LdapResult> all = refusals;
    if (all.isEmpty()) {
      return false;
    }
    for (Dn suffix : all.keySet()) {
      if (name.isWithin(suffix)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether another server changes all entries of some naming contexts. */
  public boolean holdAll(List<Dn> suffixes) {
    return !isEmpty() && suffixes.stream().allMatch(this::holds);
  }

  /**
   * Requires that this server may change the entry of a name.
   *
   * @throws LdapOperationException referral (RFC 4511, section 4.1.10) to the server that may, or
   *     unwillingToPerform; busy while that is not decided
   */
  public void requireOwn(Dn name) throws LdapOperationException {
    for (Map.Entry<Dn, LdapResult> each : refusals.entrySet()) {
      if (name.isWithin(each.getKey())) {
        throw new LdapOperationException(each.getValue());
      }
    }
  }
}
