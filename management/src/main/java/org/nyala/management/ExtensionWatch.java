package org.nyala.management;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.nyala.extension.Extension;
import org.nyala.management.bean.NoticeKind;

/** The check of what extensions tell an administrator to look at. Stateless. */
final class ExtensionWatch {
  private static final String REASON = "reason";

  private static final Map<String, NoticeKind> KINDS = kinds();

  private ExtensionWatch() {}

  private static Map<String, NoticeKind> kinds() {
    Map<String, NoticeKind> kinds = new HashMap<>();
    for (NoticeKind each :
        EnumSet.range(NoticeKind.CLUSTER_LEADERLESS, NoticeKind.EXTENSION_TROUBLE)) {
      kinds.put(each.label(), each);
    }
    return Map.copyOf(kinds);
  }

  /** Raises and clears the alarms; one with no kind of its own counts as trouble. */
  static void look(List<ServedFeatures.Overlay> overlays, Notifications notices) {
    Map<NoticeKind, List<String>> found = new EnumMap<>(NoticeKind.class);
    for (ServedFeatures.Overlay overlay : overlays) {
      for (Extension.Condition condition : overlay.conditions()) {
        NoticeKind own = KINDS.get(overlay.name() + '.' + condition.kind());
        String prefix = own == null ? overlay.name() + ": " : "";
        found
            .computeIfAbsent(
                own == null ? NoticeKind.EXTENSION_TROUBLE : own, _ -> new ArrayList<>())
            .add(prefix + condition.text());
      }
    }
    for (NoticeKind each : KINDS.values()) {
      notices.set(each, "", REASON, String.join("; ", found.getOrDefault(each, List.of())));
    }
  }
}
