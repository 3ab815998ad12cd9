package org.nyala.core.filter;

import java.util.ArrayList;
import java.util.List;
import org.nyala.core.entry.AttributeTable;

/** The items of filters as tests of those attributes alone to which a client has a right. */
public final class RestrictedTests {
  private RestrictedTests() {}

  /**
   * Returns an item that looks at no other attributes.
   *
   * @param table the attributes that entries have: others are not looked at
   */
  public static CompiledFilter of(
      CompiledFilter item, AttributeRights rights, AttributeTable table) {
    return switch (item) {
      case CompiledFilter.Presence test ->
          new CompiledFilter.Presence(test.attribute().within(rights));
      case CompiledFilter.ValueTest test ->
          new CompiledFilter.ValueTest(
              test.attribute().within(rights), test.comparison(), test.rule(), test.assertion());
      case CompiledFilter.SubstringsTest test ->
          new CompiledFilter.SubstringsTest(
              test.attribute().within(rights),
              test.rule(),
              test.initial(),
              test.any(),
              test.last());
      case CompiledFilter.ExtensibleTest test -> of(test, rights, table);
      // None of them tests several attributes.
      default -> CompiledFilter.Constant.UNDEFINED;
    };
  }

  private static CompiledFilter of(
      CompiledFilter.ExtensibleTest test, AttributeRights rights, AttributeTable table) {
    AttributeSelector attribute = test.attribute();
    if (attribute != null) {
      return restricted(test, attribute.within(rights));
    }
    boolean[] granted = rights.granted(table);
    List<CompiledFilter> each = new ArrayList<>();
    for (int id = 1; granted != null && id < granted.length; id++) {
      if (granted[id] && RuleApplicability.applies(test.rule(), table.description(id).type())) {
        AttributeSelector one = new AttributeSelector(table.description(id));
        each.add(restricted(test, one.within(rights)));
      }
    }
    return each.isEmpty() ? CompiledFilter.Constant.UNDEFINED : new CompiledFilter.Or(each);
  }

  private static CompiledFilter restricted(
      CompiledFilter.ExtensibleTest test, AttributeSelector attribute) {
    return new CompiledFilter.ExtensibleTest(
        attribute, test.rule(), test.assertion(), test.dnAttributes());
  }
}
