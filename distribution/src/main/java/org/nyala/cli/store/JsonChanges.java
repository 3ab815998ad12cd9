package org.nyala.cli.store;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.backend.SyncCookie;
import org.nyala.lmdb.export.ChangeDetails;

/** Prints changes as JSON, an object on a line for each. Confined to one running operation. */
final class JsonChanges implements ChangeFormat {
  private final PrintWriter out;

  JsonChanges(PrintWriter out) {
    this.out = out;
  }

  @Override
  public void write(
      JournalEntry change, byte @Nullable [] dn, @Nullable ChangeDetails details, CsnVector upTo) {
    JsonObject json = new JsonObject();
    json.addProperty("sequence", change.sequence());
    json.addProperty("kind", change.kind().name().toLowerCase(Locale.ROOT));
    if (dn != null) {
      json.addProperty("dn", new String(dn, StandardCharsets.UTF_8));
    }
    if (!change.entryUuid().equals(NO_UUID)) {
      json.addProperty("entryUUID", change.entryUuid().toString());
    }
    json.addProperty("csn", change.csn().toString());
    if (change.movesSubordinates()) {
      json.addProperty("movesSubordinates", true);
    }
    if (details != null) {
      if (!details.author().isEmpty()) {
        json.addProperty("author", details.author());
      }
      JsonArray names = new JsonArray();
      details.attributes().forEach(names::add);
      json.add("attributes", names);
    }
    json.addProperty("cookie", SyncCookie.of(upTo).toString());
    out.println(json);
  }
}
