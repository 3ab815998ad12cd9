package org.nyala.replica;

import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.controls.AssertionRequestControl;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;

/**
 * The state of a provider at a moment, for a handover.
 *
 * <p>Immutable.
 *
 * @param csns the {@code contextCSN} of its topmost entry
 * @param acceptsChanges false if it refers or refuses requests to change entries
 * @param referrals the URLs to which it refers them; none if it does not
 */
record ProviderState(CsnVector csns, boolean acceptsChanges, List<String> referrals) {
  private static final int SCHEME_SLASHES = 2;

  ProviderState {
    referrals = List.copyOf(referrals);
  }

  /**
   * Reads it. Whether changes are accepted is tried first, so that the numbers are the last ones if
   * they are not.
   *
   * @throws LDAPException if the provider cannot be asked
   * @throws IOException if the files of certificates cannot be used, or there is no {@code
   *     contextCSN}
   */
  static ProviderState read(ProviderAccess access, String suffix)
      throws LDAPException, IOException {
    try (ProviderConnection open = ProviderConnection.open(access, _ -> {})) {
      List<String> referrals = new ArrayList<>();
      boolean acceptsChanges = acceptsChanges(open.connection(), suffix, referrals);
      CsnVector csns = open.changes(suffix);
      if (csns.csns().isEmpty()) {
        throw new IOException("it shows none in " + suffix);
      }
      return new ProviderState(csns, acceptsChanges, referrals);
    }
  }

  /**
   * Returns the address in the URL of a referral, which may have a name after it.
   *
   * @throws IllegalArgumentException if it has none
   */
  static ProviderUrl address(String referral) {
    int slash = referral.indexOf("://");
    int end = slash < 0 ? -1 : referral.indexOf('/', slash + 1 + SCHEME_SLASHES);
    return ProviderUrl.parse(end < 0 ? referral : referral.substring(0, end));
  }

  /**
   * Asks for a change that no server makes, because of an assertion (RFC 4528) that no entry
   * satisfies: one that changes nothing refers or refuses it before it asks for rights. One that is
   * busy may accept changes later.
   *
   * @param referrals receives the URLs to which it is referred
   */
  private static boolean acceptsChanges(
      LDAPConnection connection, String suffix, List<String> referrals) throws LDAPException {
    ModifyRequest request =
        new ModifyRequest(
            suffix, new Modification(ModificationType.ADD, "description", "never added"));
    request.addControl(
        new AssertionRequestControl(
            Filter.createNOTFilter(Filter.createPresenceFilter("objectClass")), true));
    try {
      connection.modify(request);
      return true;
    } catch (LDAPException e) {
      // The SDK takes it for the end of the connection.
      if (e.getResultCode().equals(ResultCode.BUSY)) {
        return true;
      }
      if (!e.getResultCode().isConnectionUsable()) {
        throw e;
      }
      boolean isReferred = e.getResultCode().equals(ResultCode.REFERRAL);
      referrals.addAll(isReferred ? List.of(e.getReferralURLs()) : List.of());
      return !isReferred && !e.getResultCode().equals(ResultCode.UNWILLING_TO_PERFORM);
    }
  }

  /** Returns numbers as text. */
  static String text(CsnVector csns) {
    return csns.csns().isEmpty()
        ? "nothing"
        : csns.given().csns().stream().map(Csn::toString).collect(Collectors.joining(" "));
  }

  /**
   * Returns whether a copy has exactly the changes that the provider has. Numbers of servers that
   * the provider does not know do not count: slapd keeps only one if its data was loaded by
   * slapadd; nor do those that the copy has given to changes without a number.
   */
  boolean isEqualTo(CsnVector copy) {
    return copy.covers(csns) && hasAll(copy, _ -> false);
  }

  /**
   * Returns whether the provider has all changes of a naming context.
   *
   * @param isOwn whether a change is one of this server, whose numbers it must know
   */
  boolean hasAll(CsnVector context, Predicate<Csn> isOwn) {
    for (Csn each : context.csns()) {
      Csn known = csns.of(each.serverId());
      boolean isMissing = known == null ? isOwn.test(each) : each.given().isAfter(known);
      if (isMissing) {
        return false;
      }
    }
    return true;
  }
}
