package org.nyala.core.directory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.dn.Dn;

/**
 * The mapping from names to the stores that hold them.
 *
 * <p>Immutable. Hot.
 */
public final class NamingContexts {
  private final Dn[] suffixes;
  private final Backend[] backends;

  NamingContexts(List<Backend> stores) {
    record Context(Dn suffix, Backend backend) {}
    List<Context> contexts = new ArrayList<>();
    for (Backend backend : stores) {
      backend.namingContexts().forEach(suffix -> contexts.add(new Context(suffix, backend)));
    }
    contexts.sort(
        Comparator.comparingInt((Context context) -> context.suffix().rdnCount()).reversed());
    suffixes = contexts.stream().map(Context::suffix).toArray(Dn[]::new);
    backends = contexts.stream().map(Context::backend).toArray(Backend[]::new);
  }

  /** The store whose naming context is the longest one above the name, or null. */
  public @Nullable Backend backendOf(Dn name) {
    for (int i = 0; i < suffixes.length; i++) {
      if (name.isWithin(suffixes[i])) {
        return backends[i];
      }
    }
    return null;
  }

  /** The longest naming context above the name, or null. */
  public @Nullable Dn suffixOf(Dn name) {
    for (Dn suffix : suffixes) {
      if (name.isWithin(suffix)) {
        return suffix;
      }
    }
    return null;
  }

  /** The number of a store. */
  public int indexOf(Backend backend) {
    return List.of(backends).indexOf(backend);
  }

  /** The store with a number. */
  public Backend backend(int index) {
    return backends[index];
  }

  /** Every naming context, the longest names first. */
  public List<Dn> suffixes() {
    return List.of(suffixes);
  }
}
