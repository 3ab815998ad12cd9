package org.nyala.core.operation;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.control.ControlType;
import org.nyala.core.filter.FilterWriter;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.operation.search.SearchControls;

/** A valid value for every control. */
public final class SampleControls {
  /** The controls of a directory without further extensions. */
  static final SupportedControls SUPPORTED =
      new SupportedControls(DirectoryOperations.ordered(List.of()));

  private SampleControls() {}

  /** Returns a meaningful value; null for a control without one. */
  public static byte[] value(ControlType type) {
    return switch (type) {
      case MANAGE_DSA_IT,
          AUTHORIZATION_IDENTITY,
          DONT_USE_COPY,
          TREE_DELETE,
          PERMISSIVE_MODIFY,
          NO_OP,
          RELAX_RULES,
          PASSWORD_POLICY,
          ACCOUNT_USABILITY,
          EXPLAIN ->
          null;
      case SUBENTRIES -> new BerWriter().bool(true).toByteArray();
      case PAGED_RESULTS -> sequence(new BerWriter().integer(10).text(""));
      case SORT -> sequence(new BerWriter().sequence(new BerWriter().text("cn").bool(0x81, true)));
      case VIRTUAL_LIST_VIEW -> {
        BerWriter offset = new BerWriter().integer(1).integer(0);
        yield sequence(new BerWriter().integer(0).integer(9).constructed(0xa0, offset));
      }
      case ASSERTION -> FilterWriter.encode(new FilterNode.Present("objectClass"));
      case PRE_READ, POST_READ -> sequence(new BerWriter().text("cn").text("*"));
      case MATCHED_VALUES -> sequence(new BerWriter().raw(items()));
      case PROXIED_AUTHORIZATION -> new byte[0];
      case TRANSACTION -> new byte[] {1};
      case PERSISTENT_SEARCH -> sequence(new BerWriter().integer(15).bool(true).bool(true));
      case SYNC_REQUEST -> sequence(new BerWriter().enumerated(1).text("rid=001"));
      case EFFECTIVE_RIGHTS ->
          sequence(new BerWriter().text("dn:cn=a").sequence(new BerWriter().text("cn")));
      case DEREFERENCE ->
          sequence(
              new BerWriter()
                  .sequence(
                      new BerWriter()
                          .text("member")
                          .sequence(new BerWriter().text("cn").text("uid"))));
      case SESSION_TRACKING ->
          sequence(
              new BerWriter()
                  .text("192.0.2.1")
                  .text("app.example.com")
                  .text("1.2.3.4")
                  .text("ann"));
    };
  }

  /** Returns the controls that a server with all extensions honours in a request. */
  public static Set<ControlType> honouredBy(Request request) {
    return request instanceof Request.Search ? ofSearches() : SUPPORTED.of(request);
  }

  /** Returns the controls that a server with all extensions honours in searches. */
  public static Set<ControlType> ofSearches() {
    Set<ControlType> all =
        EnumSet.of(
            ControlType.SYNC_REQUEST, ControlType.PERSISTENT_SEARCH, ControlType.DEREFERENCE);
    all.addAll(SearchControls.CONTROLS);
    return all;
  }

  private static byte[] items() {
    byte[] piece = {'a'};
    FilterNode substrings = new FilterNode.Substrings("cn", piece, List.of(piece), null);
    FilterNode rule = new FilterNode.Extensible("caseExactMatch", "cn", piece, false);
    return new BerWriter()
        .raw(FilterWriter.encode(substrings))
        .raw(FilterWriter.encode(rule))
        .raw(FilterWriter.encode(new FilterNode.Present("cn")))
        .toByteArray();
  }

  private static byte[] sequence(BerWriter content) {
    return new BerWriter().sequence(content).toByteArray();
  }
}
