package org.nyala.cli.store;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.ldif.LdifWriter;
import org.nyala.lmdb.export.ChangeDetails;

/**
 * Prints changes as LDIF: an entry for each, with the attributes of a change log
 * (draft-good-ldap-changelog) and those that a consumer of changes needs.
 *
 * <p>Confined to one running operation.
 */
final class LdifChanges implements ChangeFormat {
  private final PrintWriter out;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final LdifWriter writer = new LdifWriter(bytes, LdifWriter.NO_FOLDING);

  LdifChanges(PrintWriter out) {
    this.out = out;
  }

  @Override
  public void write(
      JournalEntry change, byte @Nullable [] dn, @Nullable ChangeDetails details, CsnVector upTo)
      throws IOException {
    writer.dn(bytes("changeNumber=" + change.sequence() + ",cn=changelog"));
    attribute("objectClass", "changeLogEntry");
    attribute("changeNumber", Long.toString(change.sequence()));
    attribute("changeType", type(change.kind()));
    if (dn != null) {
      writer.attribute(bytes("targetDN"), dn, 0, dn.length);
    }
    if (!change.entryUuid().equals(NO_UUID)) {
      attribute("entryUUID", change.entryUuid().toString());
    }
    attribute("entryCSN", change.csn().toString());
    if (change.movesSubordinates()) {
      attribute("movesSubordinates", "TRUE");
    }
    if (details != null) {
      if (!details.author().isEmpty()) {
        attribute("changeAuthor", details.author());
      }
      for (String name : details.attributes()) {
        attribute("changedAttribute", name);
      }
    }
    attribute("syncreplCookie", SyncCookie.of(upTo).toString());
    writer.end();
    writer.flush();
    out.print(bytes.toString(StandardCharsets.UTF_8));
    bytes.reset();
  }

  private static String type(JournalEntry.Kind kind) {
    return switch (kind) {
      case ADD -> "add";
      case MODIFY -> "modify";
      case DELETE -> "delete";
      case RENAME -> "modrdn";
    };
  }

  private void attribute(String name, String value) throws IOException {
    byte[] text = bytes(value);
    writer.attribute(bytes(name), text, 0, text.length);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
