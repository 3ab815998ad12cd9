package org.nyala.core.filter;

/** The items of filters as tests of those attributes alone to which a client has a right. */
public final class RestrictedItems {
  private RestrictedItems() {}

  /**
   * Returns an item that looks at no other attributes. It is one test, whatever attributes there
   * are: the rights are asked for those that an entry has, when it is tested.
   */
  public static CompiledFilter of(CompiledFilter item, AttributeRights rights) {
    return switch (item) {
      case CompiledFilter.Presence test ->
          new CompiledFilter.Presence(test.attribute().within(rights));
      case CompiledFilter.ValueItem test ->
          new CompiledFilter.ValueItem(
              test.attribute().within(rights), test.comparison(), test.rule(), test.assertion());
      case CompiledFilter.SubstringsItem test ->
          new CompiledFilter.SubstringsItem(
              test.attribute().within(rights),
              test.rule(),
              test.initial(),
              test.any(),
              test.last());
      case CompiledFilter.ExtensibleItem test -> of(test, rights);
      // None of them tests several attributes.
      default -> CompiledFilter.Constant.UNDEFINED;
    };
  }

  private static CompiledFilter of(CompiledFilter.ExtensibleItem test, AttributeRights rights) {
    AttributeSelector attribute = test.attribute();
    return attribute == null
        ? new CompiledFilter.ExtensibleItem(
            null, rights, test.rule(), test.assertion(), test.dnAttributes())
        : new CompiledFilter.ExtensibleItem(
            attribute.within(rights), null, test.rule(), test.assertion(), test.dnAttributes());
  }
}
