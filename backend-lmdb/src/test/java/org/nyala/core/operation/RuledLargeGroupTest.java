package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.modify;
import static org.nyala.core.session.OperationFixture.SCHEMA;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.enforce.RulesService;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.OperationFixture;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.env.LmdbSettings;

/** Tests changes by access rules of groups whose members are kept apart, in a real store. */
class RuledLargeGroupTest {
  private static final String TOP = UpdateFixture.TOP;
  private static final String GROUP = "cn=all," + TOP;
  private static final String ANN = "uid=ann," + TOP;
  private static final String SELF =
      "to attributes member\n  users may write value self\nto all\n  users may read";
  private static final int MANY = 4_000;

  @TempDir Path folder;
  private LmdbBackend backend;
  private UpdateFixture directory;

  @BeforeEach
  void open() {
    LmdbSettings settings =
        LmdbSettings.DEFAULT
            .withMapSizeBytes(256L << 20)
            .with(draft -> draft.durability = LmdbSettings.Durability.NONE);
    LmdbBackend.create(folder, SCHEMA, List.of(TOP), List.of(), settings);
    backend = LmdbBackend.open(folder, SCHEMA, settings);
    directory = new UpdateFixture(List.of());
    directory.backend = backend;
    directory.rights = new RulesService();
    add(UpdateFixture.add(TOP, "objectClass", "domain", "dc", "example"));
    String[] group = new String[2 * MANY + 4];
    group[0] = "objectClass";
    group[1] = "groupOfNames";
    group[2] = "cn";
    group[3] = "all";
    for (int i = 0; i < MANY; i++) {
      group[2 * i + 4] = "member";
      group[2 * i + 5] = "uid=u" + i + "," + TOP;
    }
    add(UpdateFixture.add(GROUP, group));
  }

  private void add(Request request) {
    directory.identity = OperationFixture.ROOT;
    assertThat(directory.code(request)).isEqualTo(ResultCode.SUCCESS);
  }

  @AfterEach
  void close() {
    directory.close();
    backend.close();
  }

  private ResultCode byAnn(String rules, Request.Change change) {
    directory.access = directory.access.withRules(new RulesText("r", rules));
    directory.operations().reconfigure(directory.access, directory.limits, RootAccounts.NONE);
    directory.identity = new BoundIdentity(UpdateFixture.dn(ANN), false);
    return directory.code(modify(GROUP, change));
  }

  private boolean isKeptApart() {
    EntryView view = new EntryView();
    try (ReadTransaction read = backend.beginRead()) {
      return read.read(read.find(UpdateFixture.dn(GROUP)), view)
          && (view.flags() & EntryRecord.LARGE) != 0;
    }
  }

  @Test
  void shouldAskAboutTheValuesOfTheRequestAlone() {
    assertThat(isKeptApart()).isTrue();
    assertThat(byAnn(SELF, change(0, "member", ANN))).isEqualTo(ResultCode.SUCCESS);
    assertThat(byAnn(SELF, change(1, "member", ANN))).isEqualTo(ResultCode.SUCCESS);
    assertThat(byAnn(SELF, change(1, "member", "uid=u1," + TOP)))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
  }

  @Test
  void shouldReplaceAllByARightToAllAlone() {
    assertThat(byAnn(SELF, change(2, "member", ANN)))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(
            byAnn(
                "to attributes member value \""
                    + TOP
                    + "\"\n  users may nothing\n"
                    + "to all\n  users may read, write",
                change(2, "member", ANN)))
        .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(isKeptApart()).isTrue();
    assertThat(byAnn("to all\n  users may read, write", change(2, "member", ANN)))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(isKeptApart()).isFalse();
  }
}
