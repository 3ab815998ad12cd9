package org.nyala.core.schema;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a schema about the contents and the places of entries: DIT content rules, name
 * forms, DIT structure rules.
 *
 * <p>Filled by one thread, then never changed; thread-safe from then on by the safe publication of
 * the schema.
 */
public final class SchemaRules {
  private final Map<String, DitContentRule> contentRules = new LinkedHashMap<>();
  private final Map<String, NameForm> nameForms = new LinkedHashMap<>();
  private final Map<Integer, DitStructureRule> structureRules = new LinkedHashMap<>();
  private final Map<String, List<DitStructureRule>> byStructuralClass = new LinkedHashMap<>();

  public void add(DitContentRule rule) {
    contentRules.put(rule.oid(), rule);
  }

  public void add(NameForm form) {
    nameForms.put(form.oid(), form);
  }

  public void add(DitStructureRule rule) {
    structureRules.put(rule.ruleId(), rule);
    if (!rule.obsolete() && !rule.form().obsolete()) {
      byStructuralClass
          .computeIfAbsent(rule.form().structuralClass().oid(), _ -> new ArrayList<>(1))
          .add(rule);
    }
  }

  @Nullable DitContentRule contentRule(ObjectClass structural) {
    return contentRules.get(structural.oid());
  }

  /** The name form of an object identifier or a name in any case. */
  @Nullable NameForm nameForm(String name) {
    NameForm form = nameForms.get(name);
    if (form != null) {
      return form;
    }
    for (NameForm each : nameForms.values()) {
      for (String known : each.names()) {
        if (known.equalsIgnoreCase(name)) {
          return each;
        }
      }
    }
    return null;
  }

  @Nullable DitStructureRule structureRule(int ruleId) {
    return structureRules.get(ruleId);
  }

  List<DitStructureRule> structureRules(ObjectClass structural) {
    List<DitStructureRule> rules = byStructuralClass.get(structural.oid());
    return rules == null ? List.of() : Collections.unmodifiableList(rules);
  }

  Collection<DitContentRule> contentRules() {
    return Collections.unmodifiableCollection(contentRules.values());
  }

  Collection<NameForm> nameForms() {
    return Collections.unmodifiableCollection(nameForms.values());
  }

  Collection<DitStructureRule> structureRules() {
    return Collections.unmodifiableCollection(structureRules.values());
  }
}
