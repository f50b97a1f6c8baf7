package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// wellKnown are files with credentials, and some beside them.
const wellKnown = `
.ssh/id_ed25519 .ssh/config .gnupg/private-keys-v1.d/key .config/age/keys.txt .config/sops/age/keys.txt .putty/sshhostkeys
.netrc .config/op/config .config/1Password/settings.json .1password/agent.sock .config/Bitwarden/data.json .config/keepassxc/keepassxc.ini
.password-store/mail.gpg .local/share/keyrings/login.keyring .local/share/kwalletd/kdewallet.kwl .local/share/gopass/stores/root/a
.git-credentials .config/git/credentials .config/gh/hosts.yml .config/glab-cli/config.yml .config/hub .config/tea/config.yml .gitcookies .subversion/auth/svn.simple/a
.claude/.credentials.json .claude.json .codex/auth.json .gemini/oauth_creds.json .local/share/opencode/auth.json .config/opencode/opencode.json
.config/goose/config.yaml .pi/agent/auth.json .qwen/oauth_creds.json .kimi/config.json .kimi-code/config.toml .config/github-copilot/apps.json .config/github-copilot/hosts.json
.continue/config.json .aider.conf.yml .config/crush/crush.json .local/share/crush/crush.json .cursor/mcp.json .copilot/config.json .codeium/config.json
.aws/credentials .aws/config .aws/sso/cache/token.json .azure/msal_token_cache.json .config/gcloud/credentials.db .config/doctl/config.yaml .config/hcloud/cli.toml
.config/scw/config.yaml .config/linode-cli .oci/config .fly/config.yml .config/fly/config.yml .config/heroku/credentials .config/netlify/config.json
.config/vercel/auth.json .local/share/com.vercel.cli/auth.json .wrangler/config/default.toml .config/.wrangler/config/default.toml .config/stripe/config.toml
.config/configstore/firebase-tools.json .s3cfg .boto .bigqueryrc .config/rclone/rclone.conf .config/ngrok/ngrok.yml .ngrok2/ngrok.yml .terraformrc
.terraform.d/credentials.tfrc.json .pulumi/credentials.json .vault-token .ansible_vault_pass .aliyun/config.json .railway/config.json .cf/config.json
.docker/config.json .config/containers/auth.json .colima/default/docker.sock .lima/_config/user .rd/docker.sock .kube/config .minikube/profiles/minikube/client.key
.config/argocd/config .config/helm/registry/config.json .talos/config
.npmrc .yarnrc .yarnrc.yml .config/pnpm/rc .bunfig.toml .pypirc .pip/pip.conf .config/pip/pip.conf .condarc .config/pypoetry/auth.toml .cargo/credentials .cargo/credentials.toml
.gem/credentials .bundle/config .composer/auth.json .config/composer/auth.json .m2/settings.xml .gradle/gradle.properties .ivy2/.credentials
.sbt/1.0/credentials .nuget/NuGet/NuGet.Config .config/NuGet/NuGet.Config .hex/hex.config .pub-cache/credentials.json .cpanreporter
.pgpass .my.cnf .mylogin.cnf .dbt/profiles.yml .snowsql/config .snowflake/config.toml .config/snowflake/config.toml
.cache/huggingface/token .huggingface/token .kaggle/kaggle.json .databrickscfg .jupyter/jupyter_server_config.json .config/wandb/settings .config/exercism/user.json
.mozilla/firefox/p/logins.json .config/google-chrome/Default/Cookies .config/chromium/Default/Cookies .config/BraveSoftware/Brave-Browser/Default/Cookies
.config/microsoft-edge/Default/Cookies .config/vivaldi/Default/Cookies .config/opera/Cookies .librewolf/p/logins.json snap/firefox/common/.mozilla/firefox/p/logins.json
snap/chromium/common/chromium/Default/Cookies .var/app/org.mozilla.firefox/.mozilla/firefox/p/logins.json .thunderbird/p/logins.json .msmtprc .mbsyncrc
.config/Slack/Cookies .config/discord/Cookies .config/Signal/config.json .telegram/data .local/share/TelegramDesktop/tdata/key_datas .config/weechat/sec.conf
.bitcoin/wallet.dat .electrum/wallets/default_wallet .ethereum/keystore/a .config/solana/id.json .config/Exodus/exodus.wallet/seed.seco
.config/filezilla/sitemanager.xml .config/remmina/a.remmina .config/wireguard/wg0.conf .lftp/bookmarks .smbcredentials .vnc/passwd .android/adbkey
.bash_history .zsh_history .local/share/fish/fish_history .psql_history .mysql_history .sqlite_history .python_history .node_repl_history .lesshst .viminfo .config/nvim/init.lua
`

// ordinary are files beside them that commands need.
const ordinary = `.gitconfig .config/git/config .profile .claude/settings.json .codex/config.toml .cargo/config.toml .cargo/bin/rustc .cache/pip/x .cache/huggingface/hub/x
.config/pip/x .gradle/wrapper/x .m2/wrapper/x .config/composer/x .nuget/packages/x .bundle/x .rd/bin/docker`

// variables name a file in place of %.
var variables = map[string]string{
	"KUBECONFIG": "/none:%", "AWS_SHARED_CREDENTIALS_FILE": "%", "AWS_CONFIG_FILE": "%", "GOOGLE_APPLICATION_CREDENTIALS": "%", "NPM_CONFIG_USERCONFIG": "%",
	"PIP_CONFIG_FILE": "%", "NETRC": "%", "PGPASSFILE": "%", "RCLONE_CONFIG": "%", "REGISTRY_AUTH_FILE": "%", "BOTO_CONFIG": "%", "TF_CLI_CONFIG_FILE": "%", "HF_TOKEN_PATH": "%",
	"SOPS_AGE_KEY_FILE": "%", "ANSIBLE_VAULT_PASSWORD_FILE": "%", "KRB5CCNAME": "FILE:%", "SSH_AUTH_SOCK": "%", "DOCKER_HOST": "unix://%", "HISTFILE": "%", "HCLOUD_CONFIG": "%",
}

// directories name a directory, in which the file is hidden.
var directories = map[string]string{
	"DOCKER_CONFIG": "config.json", "GNUPGHOME": "private-keys-v1.d/key", "PASSWORD_STORE_DIR": "mail.gpg", "CARGO_HOME": "credentials.toml", "GH_CONFIG_DIR": "hosts.yml",
	"CLOUDSDK_CONFIG": "credentials.db", "AZURE_CONFIG_DIR": "msal_token_cache.json", "CODEX_HOME": "auth.json", "CLAUDE_CONFIG_DIR": ".credentials.json", "HF_HOME": "token",
	"GRADLE_USER_HOME": "gradle.properties", "COMPOSER_HOME": "auth.json", "PI_CODING_AGENT_DIR": "auth.json", "KIMI_CODE_HOME": "config.toml",
	"XDG_CONFIG_HOME": "gh/hosts.yml", "XDG_DATA_HOME": "keyrings/login.keyring", "XDG_CACHE_HOME": "huggingface/token",
}

func TestCredentials_EveryGroup_IsInTheDocument(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../docs/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for _, g := range slices.Concat(credentials(), toolchains()) {
		if !strings.Contains(string(document), "| "+g.name+" |") {
			t.Errorf("docs/sandbox.md has no row for %q", g.name)
		}
		for _, line := range g.lines {
			if known[line] != "" || filepath.IsAbs(line) || strings.Contains(line, "..") || line != strings.TrimSpace(line) {
				t.Errorf("%s: %q is not a path below the home directory, or it is in %q too", g.name, line, known[line])
			}
			known[line] = g.name
		}
	}
}

func TestCredentials_VariableNamesTheHomeOrASystemDirectory_IsIgnored(t *testing.T) {
	for _, value := range []string{"/", "/etc", "/home", "/home/a", "/home/a/", "/home/a/x/..", "relative", "", "/dev/null", "/proc/self/fd/0", "/run/user/0/agent", strings.Repeat("x", 10_000)} {
		t.Setenv("KUBECONFIG", value)
		t.Setenv("GNUPGHOME", value)
		if value != "" && slices.Contains(Credentials("/home/a"), filepath.Clean(value)) {
			t.Errorf("%q is hidden", value)
		}
	}
	t.Setenv("KUBECONFIG", "/home/a/one:/home/b/two")
	for _, want := range []string{"/home/a/one", "/home/b/two", "/home/a/.kube"} {
		if !slices.Contains(Credentials("/home/a"), want) {
			t.Errorf("%s is not hidden", want)
		}
	}
}
