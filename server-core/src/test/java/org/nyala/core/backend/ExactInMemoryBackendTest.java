package org.nyala.core.backend;

import java.util.List;
import org.nyala.core.entry.Entry;

final class ExactInMemoryBackendTest extends BackendContract {
  @Override
  protected Backend open(List<Entry> entries) {
    return new InMemoryBackend(SCHEMA, entries, true);
  }
}
