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
 */
record ProviderState(CsnVector csns, boolean acceptsChanges) {
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
      boolean acceptsChanges = acceptsChanges(open.connection(), suffix);
      CsnVector csns = open.changes(suffix);
      if (csns.csns().isEmpty()) {
        throw new IOException("it shows none in " + suffix);
      }
      return new ProviderState(csns, acceptsChanges);
    }
  }

  /**
   * Asks for a change that no server makes, because of an assertion (RFC 4528) that no entry
   * satisfies: one that changes nothing refers or refuses it before it asks for rights. One that is
   * busy may accept changes later.
   */
  private static boolean acceptsChanges(LDAPConnection connection, String suffix)
      throws LDAPException {
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
      return !e.getResultCode().equals(ResultCode.REFERRAL)
          && !e.getResultCode().equals(ResultCode.UNWILLING_TO_PERFORM);
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
