package org.nyala.core.operation.search;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.control.PagedResults;
import org.nyala.core.directory.PageSeals;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.operation.list.SearchDigest;

/**
 * The ending of a walk by entry id that has pages, or could not be sorted.
 *
 * <p>Immutable.
 *
 * @param seals the directory, which seals cookies
 * @param search the digest of the search, by {@link SearchDigest}
 * @param pageSize entries in a page; 0 if there are no pages
 * @param sorting the response to the request for an order; null if there was none
 */
public record SearchEnding(
    PageSeals seals, byte[] search, int pageSize, @Nullable ResponseControl sorting) {

  /**
   * Returns the result of a walk that reached its end or a full page.
   *
   * @param next the beginning of the next page; null after the last one
   */
  LdapResult result(@Nullable PagePosition next) {
    List<ResponseControl> controls = new ArrayList<>(2);
    if (sorting != null) {
      controls.add(sorting);
    }
    if (pageSize > 0) {
      byte[] cookie = next == null ? PagedResults.NO_COOKIE : seals.seal(next.encode(), search);
      controls.add(PagedResults.response(0, cookie));
    }
    return LdapResult.SUCCESS.with(controls);
  }
}
