package org.nyala.core.operation;

import org.jspecify.annotations.Nullable;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.search.CompiledFilter;

/**
 * What the controls of a search ask for.
 *
 * <p>Confined to one running operation.
 *
 * @param all the controls themselves
 * @param manageDsaIt whether referral objects are entries like others (RFC 3296)
 * @param subentries which of entries and subentries are shown (RFC 3672)
 * @param assertion what the base must match (RFC 4528), or null
 * @param matchedValues selects the values that are shown (RFC 3876), or null
 */
record SearchControls(
    RequestControls all,
    boolean manageDsaIt,
    SubentryVisibility subentries,
    @Nullable CompiledFilter assertion,
    @Nullable MatchedValues matchedValues) {
  private static final SearchControls NONE =
      new SearchControls(RequestControls.NONE, false, SubentryVisibility.AS_BASE, null, null);

  /**
   * Reads the controls of a search; costs nothing when there are none.
   *
   * @throws LdapOperationException when one is critical and not honoured, or has a value that is
   *     not what it should be
   */
  static SearchControls read(Directory directory, Request.Search request)
      throws LdapOperationException {
    RequestControls controls =
        RequestControls.read(
            request.controls(), SearchOperation.CONTROLS, directory.limits().controls());
    if (controls.isEmpty()) {
      return NONE;
    }
    return new SearchControls(
        controls,
        controls.has(ControlType.MANAGE_DSA_IT),
        SubentryVisibility.read(controls),
        AssertionControl.read(directory, controls),
        MatchedValues.read(directory, request, controls));
  }
}
