package org.nyala.core.update;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;

/**
 * The naming contexts that are copies of another server's, which alone changes them: requests to
 * change them are refused, and the server itself changes nothing there on its own.
 *
 * <p>Thread-safe. The writer asks once more before it carries a change out: if it adds a naming
 * context in a turn of its own, no later change is made.
 */
public final class ConsumedContexts {
  /** Each name with the URLs to which clients are referred; with none, requests are refused. */
  private volatile Map<Dn, List<String>> referrals = Map.of();

  /**
   * Adds a naming context.
   *
   * @param urls the URLs to which clients are referred; with none, their requests are refused
   */
  public synchronized void add(Dn suffix, List<String> urls) {
    Map<Dn, List<String>> more = new HashMap<>(referrals);
    more.put(suffix, List.copyOf(urls));
    referrals = Map.copyOf(more);
  }

  /** Removes a naming context: it is changed here from now on. */
  public synchronized void remove(Dn suffix) {
    Map<Dn, List<String>> fewer = new HashMap<>(referrals);
    fewer.remove(suffix);
    referrals = Map.copyOf(fewer);
  }

  /** Returns whether all entries are changed here. */
  public boolean isEmpty() {
    return referrals.isEmpty();
  }

  /** Returns whether another server changes the entry of a name. Hot. */
  public boolean holds(Dn name) {
    Map<Dn, List<String>> all = referrals;
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
   *     unwillingToPerform
   */
  public void requireOwn(Dn name) throws LdapOperationException {
    for (Map.Entry<Dn, List<String>> each : referrals.entrySet()) {
      if (!name.isWithin(each.getKey())) {
        continue;
      }
      if (each.getValue().isEmpty()) {
        throw new LdapOperationException(
            ResultCode.UNWILLING_TO_PERFORM,
            "this server has a copy of " + each.getKey() + ", which another server changes");
      }
      throw new LdapOperationException(
          new LdapResult(ResultCode.REFERRAL, "", "", each.getValue()));
    }
  }
}
