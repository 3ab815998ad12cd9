package org.nyala.core.operation.search;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.control.PagedResults;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.operation.list.SearchDigest;

/**
 * How a walk by entry id ends that has pages, or could not be sorted.
 *
 * <p>Immutable.
 *
 * @param directory seals cookies
 * @param search which search, as {@link SearchDigest} tells
 * @param pageSize entries in a page; 0 where there are no pages
 * @param sorting what became of the wish for an order; null where there was none
 */
public record SearchEnding(
    OperationContext directory, byte[] search, int pageSize, @Nullable ResponseControl sorting) {

  /**
   * The result of a walk that went on to its end, or to a full page.
   *
   * @param next where the next page begins; null after the last one
   */
  LdapResult result(@Nullable PagePosition next) {
    List<ResponseControl> controls = new ArrayList<>(2);
    if (sorting != null) {
      controls.add(sorting);
    }
    if (pageSize > 0) {
      byte[] cookie =
          next == null ? PagedResults.NO_COOKIE : directory.pageSeals().seal(next.encode(), search);
      controls.add(PagedResults.response(0, cookie));
    }
    return LdapResult.SUCCESS.with(controls);
  }
}
