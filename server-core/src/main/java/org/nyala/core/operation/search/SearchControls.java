package org.nyala.core.operation.search;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.control.SubentryVisibility;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.operation.values.MatchedValues;
import org.nyala.extension.EntryControls;

/**
 * The decoded controls of a search.
 *
 * <p>Confined to one running operation.
 *
 * @param all the controls themselves
 * @param manageDsaIt true if referral objects are treated as ordinary entries (RFC 3296)
 * @param subentries the choice between entries and subentries (RFC 3672)
 * @param assertion the filter that the base must match (RFC 4528), or null
 * @param matchedValues the filter of the values that are shown (RFC 3876), or null
 * @param entryControls what an extension tells with the entries, or null
 */
public record SearchControls(
    RequestControls all,
    boolean manageDsaIt,
    SubentryVisibility subentries,
    @Nullable CompiledFilter assertion,
    @Nullable MatchedValues matchedValues,
    EntryControls.@Nullable Wanted entryControls) {
  /** The controls that searches in every directory honour. */
  public static final Set<ControlType> CONTROLS =
      Set.of(
          ControlType.MANAGE_DSA_IT,
          ControlType.PAGED_RESULTS,
          ControlType.SORT,
          ControlType.VIRTUAL_LIST_VIEW,
          ControlType.SUBENTRIES,
          ControlType.MATCHED_VALUES,
          ControlType.ASSERTION,
          ControlType.PROXIED_AUTHORIZATION,
          ControlType.DONT_USE_COPY,
          ControlType.EXPLAIN,
          ControlType.EFFECTIVE_RIGHTS,
          ControlType.ACCOUNT_USABILITY,
          ControlType.SESSION_TRACKING);

  private static final SearchControls NONE =
      new SearchControls(RequestControls.NONE, false, SubentryVisibility.AS_BASE, null, null, null);

  /**
   * The filters of controls as received.
   *
   * @param assertion the filter that the base must match, or null
   * @param items the filter items that select the values that are shown, or null
   */
  record Filters(@Nullable FilterNode assertion, @Nullable List<FilterNode> items) {
    static final Filters NONE = new Filters(null, null);

    /**
     * Reads the filters of a search's controls.
     *
     * @throws LdapOperationException protocolError if one is none
     */
    static Filters read(
        OperationContext directory, Request.Search request, RequestControls controls)
        throws LdapOperationException {
      return controls.isEmpty()
          ? NONE
          : new Filters(
              AssertionControl.decode(directory.reading(), controls),
              MatchedValues.decode(directory.reading(), request, controls));
    }

    boolean isEmpty() {
      return assertion == null && items == null;
    }
  }

  /**
   * Reads the values of the controls of a search; costs nothing if there are none.
   *
   * @param controls those that the search honours
   * @param assertion the filter of the control, compiled, or null
   * @param matchedValues the items of the control, compiled, or null
   * @param entryControls what an extension tells with the entries, or null
   * @throws LdapOperationException protocolError if a value is malformed
   */
  static SearchControls read(
      RequestControls controls,
      @Nullable CompiledFilter assertion,
      @Nullable MatchedValues matchedValues,
      EntryControls.@Nullable Wanted entryControls)
      throws LdapOperationException {
    if (controls.isEmpty()) {
      return NONE;
    }
    return new SearchControls(
        controls,
        controls.has(ControlType.MANAGE_DSA_IT),
        SubentryVisibility.read(controls),
        assertion,
        matchedValues,
        entryControls);
  }
}
