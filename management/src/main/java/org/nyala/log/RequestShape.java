package org.nyala.log;

import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.Request;
import org.nyala.core.traffic.FilterShape;

/**
 * The shape of a request: what requests that differ in values alone have in common.
 *
 * <p>A filter is written as {@link FilterShape} does, with attributes in lower case.
 */
final class RequestShape {
  private final StringBuilder text = new StringBuilder();
  private final int most;

  private RequestShape(int most) {
    this.most = most;
  }

  /**
   * Returns the shape of a request; empty if there is nothing to tell such requests apart by.
   *
   * @param most the characters after which it is cut
   */
  static String of(Request request, int most) {
    RequestShape shape = new RequestShape(most);
    switch (request) {
      case Request.Search search -> {
        shape.text.append(search.scope().label()).append(' ');
        new FilterShape(shape.text, shape.most, RequestShape::name).append(search.filter());
      }
      case Request.Bind bind ->
          shape.text.append(
              bind.saslMechanism() == null ? "simple" : LogText.name(bind.saslMechanism()));
      case Request.Compare compare -> shape.names(Stream.of(compare.attribute()));
      case Request.Extended extended -> shape.text.append(LogText.name(extended.oid()));
      case Request.Modify modify ->
          shape.names(modify.changes().stream().map(each -> each.attribute().attribute()));
      case Request.Add _,
          Request.Delete _,
          Request.ModifyDn _,
          Request.Unbind _,
          Request.Abandon _ -> {}
    }
    return shape.isFull()
        ? shape.text.substring(0, most - FilterShape.CUT.length()) + FilterShape.CUT
        : shape.text.toString();
  }

  private boolean isFull() {
    return text.length() > most;
  }

  private void names(Stream<String> attributes) {
    TreeSet<String> sorted = new TreeSet<>();
    attributes.limit(most).map(RequestShape::name).forEach(sorted::add);
    text.append(String.join(" ", sorted));
  }

  private static String name(@Nullable String attribute) {
    return attribute == null ? "" : LogText.name(attribute).toLowerCase(Locale.ROOT);
  }
}
