package org.nyala.core.operation.search;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.PagedResults;
import org.nyala.core.control.RequestControls;
import org.nyala.core.control.SortKeys;
import org.nyala.core.control.VirtualListView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;

/**
 * The list options of a search: pages, an order, a part of a list.
 *
 * <p>Immutable.
 *
 * @param paged a page of the results; null for all
 * @param sort the order; null for any
 * @param isSortCritical true if results in another order are of no use
 * @param view a part of the sorted list; null for all. Not without an order, not with pages
 */
public record ListRequest(
    @Nullable PagedResults paged,
    @Nullable SortKeys sort,
    boolean isSortCritical,
    @Nullable VirtualListView view) {

  /**
   * Reads the controls; null if the search wants none of that.
   *
   * @param mostKeys the most keys of an order
   * @param sizeLimit the entries that the client wants; 0 for all
   * @throws LdapOperationException if they are not valid, or not together
   */
  public static @Nullable ListRequest of(RequestControls controls, int mostKeys, int sizeLimit)
      throws LdapOperationException {
    PagedResults paged = PagedResults.of(controls, sizeLimit);
    SortKeys sort = SortKeys.of(controls, mostKeys);
    VirtualListView view = VirtualListView.of(controls);
    if (paged == null && sort == null && view == null) {
      return null;
    }
    if (view != null && sort == null) {
      throw viewFailure(ResultCode.SORT_CONTROL_MISSING, "a list view needs a sort control");
    }
    if (view != null && paged != null) {
      throw viewFailure(ResultCode.UNWILLING_TO_PERFORM, "a list view has no pages");
    }
    byte[] context = view == null ? null : view.contextId();
    if (context != null && context.length != Long.BYTES) {
      throw viewFailure(ResultCode.PROTOCOL_ERROR, "the context id is not one of this server");
    }
    return new ListRequest(paged, sort, controls.isCritical(ControlType.SORT), view);
  }

  /** Returns whether the client wants no further page. */
  public boolean endsPages() {
    return paged != null && paged.size() == 0;
  }

  /**
   * The result of a search for at most one entry, which is a page and in order by itself.
   *
   * @throws LdapOperationException virtualListViewError for a list view
   */
  public LdapResult resultOfOne() throws LdapOperationException {
    if (view != null) {
      throw viewFailure(ResultCode.UNWILLING_TO_PERFORM, "no list views of this entry");
    }
    List<ResponseControl> controls = new ArrayList<>(2);
    if (sort != null) {
      controls.add(SortKeys.response(ResultCode.SUCCESS, null));
    }
    if (paged != null) {
      controls.add(PagedResults.response(0, PagedResults.NO_COOKIE));
    }
    return LdapResult.SUCCESS.with(controls);
  }

  /** Returns a failure of a list view, with the reason in its control. */
  public static LdapOperationException viewFailure(ResultCode code, String message) {
    ResponseControl control = VirtualListView.response(0, 0, code, null);
    return new LdapOperationException(
        LdapResult.of(ResultCode.VIRTUAL_LIST_VIEW_ERROR, message).with(List.of(control)));
  }
}
